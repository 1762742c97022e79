#!lua
-- Raises the fence of a score range: it refuses what earlier runs have sent.
-- KEYS    1 gen  2 range  3 range_head
-- ARGV    1 generation  2 epoch  3 fence
-- returns its size, and the size that it was published with ('' if it was changed since); nothing if it is not of this epoch,
--         or a later run was here
--! include guard.lua
--! include fence.lua
if not is_ours(true) then return {} end
redis.call('HSET', KEYS[3], 'fence', ARGV[3])
local head = redis.call('HMGET', KEYS[3], 'mark', 'size')
return { redis.call('ZCARD', KEYS[2]), head[1] and head[2] or '' }
