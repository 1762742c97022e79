#!lua flags=allow-oom
-- Gives a period a new generation, and with it empties memory that is not trusted. Only settling calls it.
-- KEYS    1 gen  2… the rest of the family
-- ARGV    1 the new generation  2 empty (1 or 0)
-- returns 1, or 0 where a greater generation stands already
local old = redis.call('GET', KEYS[1])
if old and tonumber(old) >= tonumber(ARGV[1]) then return 0 end
if ARGV[2] == '1' then
  for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
