#!lua flags=allow-oom
-- Read the likes of many things, and one player's own, atomically.
-- KEYS    1 gen  2… things: liked_by, likes_count, amounts of each
-- ARGV    1 generation  2 player ('' nobody)  3 repeatable (1 or 0)
-- returns per thing: its likes, how many are the player's own
--! include guard.lua
local repeatable = ARGV[3] == '1'
--! include state.lua
local answer = {}
for i = 2, #KEYS, 3 do
  answer[#answer + 1] = tonumber(redis.call('GET', KEYS[i + 1]) or '0')
  answer[#answer + 1] = ARGV[2] == '' and 0 or (state(KEYS[i], KEYS[i + 2], ARGV[2]))
end
return answer
