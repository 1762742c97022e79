#!lua
-- Lets one loader at a time load a view. The lease is of this server's memory: a restarted one does not honour it.
-- KEYS    1 load
-- ARGV    1 identity  2 token  3 for how many ms
-- returns the time in ms since 1970, or nothing where somebody else is at it
if not redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX', 'PX', ARGV[3]) then return false end
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
