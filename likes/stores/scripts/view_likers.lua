#!lua flags=allow-oom
-- Read a page of the players who like a thing, the newest first.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts
-- ARGV    1 identity  2 offset  3 limit
-- returns how many there are, then per row: player, how often, ms since 1970; nothing without a view
--! include view_place.lua
if redis.call('EXISTS', KEYS[3]) == 0 or redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local answer = { redis.call('ZCARD', KEYS[2]) }
local found = redis.call('ZREVRANGE', KEYS[2], ARGV[2], ARGV[2] + ARGV[3] - 1, 'WITHSCORES')
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = own(found[i])
  answer[#answer + 1] = found[i + 1]
end
return answer
