#!lua flags=allow-oom
-- What a view says and holds, for who compares it.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts  5 seen_at
-- ARGV    1 identity
-- returns the count, the likes that the sets stand for, and a word that changes with every telling; nothing without a view
--! include view_total.lua
local count = redis.call('GET', KEYS[3])
if not count or redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local latest = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')
return { tonumber(count), total(), table.concat(latest, ' ') .. ' ' .. redis.call('ZCARD', KEYS[5]) }
