#!lua
-- Lease the loading of a view to one loader. The lease contains the server's identity, so a restart ends it.
-- KEYS    1 load
-- ARGV    1 identity  2 token  3 for how many ms
-- returns the time in ms since 1970, or nothing if another loader has the lease
if not redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX', 'PX', ARGV[3]) then return false end
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
