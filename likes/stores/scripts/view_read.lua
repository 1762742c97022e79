#!lua flags=allow-oom
-- Read a thing's count and a player's likes from a view.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts
-- ARGV    1 identity  2 player ('' for nobody)
-- returns the count, and how often the player likes it; nothing without a view
--! include view_place.lua
local count = redis.call('GET', KEYS[3])
if not count or redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
return { tonumber(count), ARGV[2] == '' and 0 or own(ARGV[2]) }
