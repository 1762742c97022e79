#!lua flags=allow-oom
-- Drop a wrong view if it is unchanged since it was compared; the next reader loads it from SQL.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts  5 load
-- ARGV    1 identity  2 the compared count  3 the compared total of its sets
-- returns 1, or 0 if something has changed
--! include view_total.lua
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[3]) ~= ARGV[2] or total() ~= tonumber(ARGV[3]) then
  return 0
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5])
return 1
