#!lua flags=allow-oom
-- What a view shows of a thing to a player.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts
-- ARGV    1 identity  2 player ('' for nobody)
-- returns the count, and how often the player likes it; nothing where there is no view
--! include view_place.lua
local count = redis.call('GET', KEYS[3])
if not count or redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
return { tonumber(count), ARGV[2] == '' and 0 or own(ARGV[2]) }
