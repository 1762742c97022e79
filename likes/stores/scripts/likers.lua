#!lua flags=allow-oom
-- Read who likes a thing, the newest first; at the same time the greater id comes first.
-- KEYS    1 gen  2 liked_by  3 amounts
-- ARGV    1 generation  2 the first row (0 is the newest)  3 the last  4 repeatable (1 or 0)
-- returns how many like it, then per player: player, how often, when in ms
--! include guard.lua
local found = redis.call('ZREVRANGE', KEYS[2], ARGV[2], ARGV[3], 'WITHSCORES')
local answer = { redis.call('ZCARD', KEYS[2]) }
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = ARGV[4] == '1' and redis.call('HGET', KEYS[3], found[i]) or 1
  answer[#answer + 1] = found[i + 1]
end
return answer
