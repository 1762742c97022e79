#!lua flags=allow-oom
-- Compares the distinct scores of a dense period with what its players have, and puts them right if asked to.
-- KEYS    1 gen  2 zset  3 scores
-- ARGV    1 generation  2 put right (1 or 0), then scores as they are spelled in `scores`
-- returns those that were missing there, or that nobody has
--! include guard.lua
local wrong = {}
for i = 3, #ARGV do
  local score = ARGV[i]
  local has, listed = redis.call('ZCOUNT', KEYS[2], score, score) > 0, redis.call('ZSCORE', KEYS[3], score)
  if has and not listed then
    wrong[#wrong + 1] = score
    if ARGV[2] == '1' then redis.call('ZADD', KEYS[3], score, score) end
  elseif listed and not has then
    wrong[#wrong + 1] = score
    if ARGV[2] == '1' then redis.call('ZREM', KEYS[3], score) end
  end
end
return wrong
