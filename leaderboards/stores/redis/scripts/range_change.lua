#!lua
-- Changes a score range, which is not read from now on until it is published.
-- KEYS    1 gen  2 range  3 range_head
-- ARGV    1 generation  2 epoch  3 fence  4 how many members leave, then these, then member and score of those that it gets
-- returns its size, or -1 if it is not of this epoch, or another run's
--! include guard.lua
--! include batch.lua
--! include fence.lua
if not is_ours() then return -1 end
redis.call('HDEL', KEYS[3], 'mark')
local removed, added, last = {}, {}, 4 + ARGV[4]
for i = 5, last do removed[i - 4] = ARGV[i] end
for i = last + 1, #ARGV, 2 do added[#added + 1], added[#added + 2] = ARGV[i + 1], ARGV[i] end
batch_write('ZREM', KEYS[2], removed)
batch_write('ZADD', KEYS[2], added)
return redis.call('ZCARD', KEYS[2])
