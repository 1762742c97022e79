#!lua flags=allow-oom
-- Read a view's count and the total of its sets, for a check.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts  5 seen_at
-- ARGV    1 identity
-- returns the count, the total of the sets, and a text that changes with every publication; nothing without a view
--! include view_total.lua
local count = redis.call('GET', KEYS[3])
if not count or redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local latest = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
return { tonumber(count), total(), table.concat(latest, ' ') .. ' ' .. redis.call('ZCARD', KEYS[5]) }
