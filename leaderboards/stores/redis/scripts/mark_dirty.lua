#!lua
-- Marks a standing dirty, so that the mirror copies it again, if it is still the one that the caller compared.
-- KEYS    1 gen  2 zset  3 members  4 seq  5 dirty
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 player  5 the score compared ('' not ranked, '*' any)
-- returns 1, or 0 if it has another score or is dirty already
--! include guard.lua
--! include deadline.lua
local member = ARGV[4]
if ARGV[3] == '1' then member = redis.call('HGET', KEYS[3], ARGV[4]) end
local score = member and redis.call('ZSCORE', KEYS[2], member)
if ARGV[5] ~= '*' then
  if redis.call('HEXISTS', KEYS[5], ARGV[4]) == 1 then return 0 end
  if (ARGV[5] == '') ~= (not score) then return 0 end
  if score and tonumber(score) ~= tonumber(ARGV[5]) then return 0 end
end
redis.call('HSET', KEYS[5], ARGV[4], redis.call('INCR', KEYS[4]))
return 1
