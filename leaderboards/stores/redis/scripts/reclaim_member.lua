#!lua
-- Finds a member whose player has none, and gives it back to the player, with a dirty mark, if asked to.
-- KEYS    1 gen  2 zset  3 members  4 seq  5 dirty
-- ARGV    1 generation  2 deadline  3 player  4 member  5 give it back (1 or 0)
-- returns its score, or '' if it is not there or the player has a member
--! include guard.lua
--! include deadline.lua
local score = redis.call('ZSCORE', KEYS[2], ARGV[4])
if not score or redis.call('HEXISTS', KEYS[3], ARGV[3]) == 1 then return '' end
if ARGV[5] == '1' then
  redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
  redis.call('HSET', KEYS[5], ARGV[3], redis.call('INCR', KEYS[4]))
end
return score
