#!lua flags=allow-oom
-- Compares the distinct scores of a dense period with the scores of its players, and corrects them if asked to.
-- KEYS    1 gen  2 zset  3 scores
-- ARGV    1 generation  2 repair (1 or 0), then scores in the spelling of `scores`
-- returns the scores that are missing in `scores`, or that no player has
--! include guard.lua
--! include rows.lua
local has_levels, wrong = string.sub(KEYS[3], -7) == ':levels', {}

local function is_listed(score)
  if has_levels then return redis.call('GETBIT', KEYS[3], score) == 1 end
  return redis.call('ZSCORE', KEYS[3], score)
end

local function list(score)
  if has_levels then return redis.call('SETBIT', KEYS[3], score, 1) end
  redis.call('ZADD', KEYS[3], score, score)
end

local function drop(score)
  if has_levels then return redis.call('SETBIT', KEYS[3], score, 0) end
  redis.call('ZREM', KEYS[3], score)
end

for i = 3, #ARGV do
  local score = ARGV[i]
  local used, listed = count_between(score, score) > 0, is_listed(score)
  if used and not listed then
    wrong[#wrong + 1] = score
    if ARGV[2] == '1' then list(score) end
  elseif listed and not used then
    wrong[#wrong + 1] = score
    if ARGV[2] == '1' then drop(score) end
  end
end
return wrong
