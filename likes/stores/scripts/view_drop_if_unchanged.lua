#!lua flags=allow-oom
-- Drops a view that is wrong, if it still is what was compared; the next who reads the thing has it loaded from SQL.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts  5 load
-- ARGV    1 identity  2 the count as it was  3 the likes of its sets as they were
-- returns 1, or 0 where something has moved
--! include view_total.lua
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[3]) ~= ARGV[2] or total() ~= tonumber(ARGV[3]) then
  return 0
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])
return 1
