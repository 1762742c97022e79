#!lua flags=allow-oom
-- The players whose announcement stands.
-- KEYS    1 gen  2 inflight
-- ARGV    1 generation  2 where to go on (0 begins)  3 about how many
-- returns where to go on (0 ends), then per player: player, token
--! include guard.lua
local found = redis.call('HSCAN', KEYS[2], ARGV[2], 'COUNT', ARGV[3])
table.insert(found[2], 1, found[1])
return found[2]
