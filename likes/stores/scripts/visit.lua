#!lua
-- Count a page view: the hit, the visitor, and the player's attendance.
-- KEYS    1 hits  2 visitors  3 attendance
-- ARGV    1 page  2 visitor  3 number of the player ('' for none)  4 seconds to keep  5 maximum of pages  6 name for further pages
-- returns 1
local page = ARGV[1]
if redis.call('HEXISTS', KEYS[1], page) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then
  page = ARGV[6]
end
if redis.call('HINCRBY', KEYS[1], page, 1) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[4]) end
if redis.call('PFADD', KEYS[2], ARGV[2]) == 1 then redis.call('EXPIRE', KEYS[2], ARGV[4]) end
if ARGV[3] ~= '' and redis.call('SETBIT', KEYS[3], ARGV[3], 1) == 0 then redis.call('EXPIRE', KEYS[3], ARGV[4]) end
return 1
