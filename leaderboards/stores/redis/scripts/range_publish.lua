#!lua
-- Lets a score range be read.
-- KEYS    1 gen  2 range  3 range_head
-- ARGV    1 generation  2 epoch  3 fence  4 mark  5 as_of in milliseconds ('' if it stays)  6 sizes of all ranges  7 its own
-- returns 1, or -1 if it is not of this epoch, another run's, or has another size
--! include guard.lua
--! include fence.lua
if not is_ours() or redis.call('ZCARD', KEYS[2]) ~= tonumber(ARGV[7]) then return -1 end
redis.call('HSET', KEYS[3], 'mark', ARGV[4], 'sizes', ARGV[6], 'size', ARGV[7])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[3], 'as_of', ARGV[5]) end
return 1
