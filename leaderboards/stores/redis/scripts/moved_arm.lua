#!lua
-- Has a family note for score ranges what changes from now on.
-- KEYS    1 gen  2 moved
-- ARGV    1 generation  2 a text for the field without a player, long enough for a hash table
-- returns 1
--! include guard.lua
redis.call('HSET', KEYS[2], '', ARGV[2])
return 1
