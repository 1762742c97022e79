#!lua flags=allow-oom
-- Finds a member that is not its player's current one (the player has another, or none), and removes it if asked to.
-- KEYS    1 gen  2 zset  3 members  4 scores  then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)  5 player  6 member  7 remove it (1 or 0)
-- returns its score, or '' if it is not there or is its player's
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include batch.lua
--! include place.lua
local score = redis.call('ZSCORE', KEYS[2], ARGV[6])
if not score or member_of(ARGV[5]) == ARGV[6] then return '' end
if ARGV[7] == '1' then
  if has_notes then
    local noted, there = redis.call('HGET', KEYS[#KEYS], ARGV[5]), as_text(score) .. ' ' .. ARGV[6]
    redis.call('HSET', KEYS[#KEYS], ARGV[5], noted and noted .. '\n' .. there or there)
  end
  redis.call('ZREM', KEYS[2], ARGV[6])
  drop_score(score)
end
return score
