#!lua flags=allow-oom
-- Compare the counts of things with their likes, and repair them if asked; atomically, so without races with writers.
-- KEYS    1 gen  2… things: liked_by, likes_count, amounts of each
-- ARGV    1 generation  2 deadline  3 repeatable (1 or 0)  4 repair (1 or 0)
-- returns per thing: the count before, the number of likes
--! include guard.lua
--! include deadline.lua
local answer = {}
for i = 2, #KEYS, 3 do
  local count, likes = tonumber(redis.call('GET', KEYS[i + 1]) or '0'), 0
  if ARGV[3] == '1' then
    for _, amount in ipairs(redis.call('HVALS', KEYS[i + 2])) do likes = likes + amount end
  else
    likes = redis.call('ZCARD', KEYS[i])
  end
  if count ~= likes and ARGV[4] == '1' then redis.call('SET', KEYS[i + 1], string.format('%.0f', likes)) end
  answer[#answer + 1] = count
  answer[#answer + 1] = likes
end
return answer
