#!lua flags=allow-oom
-- Deletes a score range of an index that is not read any more.
-- KEYS    1 gen  2 range  3 range_head
-- ARGV    1 generation  2 epoch
-- returns 1, or 0 if the keys are another index's
--! include guard.lua
if redis.call('HGET', KEYS[3], 'epoch') ~= ARGV[2] then return 0 end
redis.call('UNLINK', KEYS[2], KEYS[3])
return 1
