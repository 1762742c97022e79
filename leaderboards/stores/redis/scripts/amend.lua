#!lua
-- Sets or removes a standing by hand and marks it dirty, if its score is still the one that the person saw.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  6 seq  7 dirty  then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)  5 player  6 the score seen ('' not ranked)
--         7 score ('' removes the player)  8 member  9 stored_state ('' for none)
-- returns 1, or 0 if the score is another one now
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include batch.lua
--! include place.lua
local member = member_of(ARGV[5])
local score = member and redis.call('ZSCORE', KEYS[2], member)
if (ARGV[6] == '') ~= (not score) then return 0 end
if score and tonumber(score) ~= tonumber(ARGV[6]) then return 0 end
redis.call('HSET', KEYS[7], ARGV[5], redis.call('INCR', KEYS[6]))
if ARGV[7] == '' then
  remove(ARGV[5])
  redis.call('HDEL', KEYS[5], ARGV[5])
  return 1
end
place({ ARGV[5] }, { ARGV[7] }, { ARGV[8] })
if ARGV[9] ~= '' then redis.call('HSET', KEYS[5], ARGV[5], ARGV[9]) end
return 1
