#!lua flags=allow-oom
-- Compares the distinct scores of a dense period with the scores of its players, and corrects them if asked to.
-- KEYS    1 gen  2 zset  3 scores
-- ARGV    1 generation  2 repair (1 or 0), then scores in the spelling of `scores`
-- returns the scores that are missing in `scores`, or that no player has
--! include guard.lua
local wrong = {}
for i = 3, #ARGV do
  local score = ARGV[i]
  local used, listed = redis.call('ZCOUNT', KEYS[2], score, score) > 0, redis.call('ZSCORE', KEYS[3], score)
  if used and not listed then
    wrong[#wrong + 1] = score
    if ARGV[2] == '1' then redis.call('ZADD', KEYS[3], score, score) end
  elseif listed and not used then
    wrong[#wrong + 1] = score
    if ARGV[2] == '1' then redis.call('ZREM', KEYS[3], score) end
  end
end
return wrong
