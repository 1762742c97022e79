#!lua
-- Empties a score range for a new index.
-- KEYS    1 gen  2 range  3 range_head
-- ARGV    1 generation  2 epoch  3 fence
-- returns 1, or 0 if a later run was here
--! include guard.lua
if tonumber(redis.call('HGET', KEYS[3], 'fence') or 0) > tonumber(ARGV[3]) then return 0 end
redis.call('UNLINK', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[3], 'epoch', ARGV[2], 'fence', ARGV[3])
return 1
