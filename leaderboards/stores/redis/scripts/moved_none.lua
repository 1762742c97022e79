#!lua flags=allow-oom
-- Whether score ranges have all of a family.
-- KEYS    1 gen  2 moved
-- ARGV    1 generation
-- returns 1, or 0 if a player has changed since, or the family notes nothing
--! include guard.lua
return redis.call('HLEN', KEYS[2]) == 1 and redis.call('HEXISTS', KEYS[2], '') or 0
