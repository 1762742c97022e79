#!lua flags=allow-oom
-- KEYS    1 changed
-- returns how many milliseconds ago that was, by this server's clock; -1 if nothing is noted
local changed = redis.call('GET', KEYS[1])
if not changed then return -1 end
local now = redis.call('TIME')
return math.max(0, now[1] * 1000 + math.floor(now[2] / 1000) - changed)
