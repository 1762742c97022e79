#!lua flags=allow-oom
-- Read how often players like things, and whether the likes are dirty (SQL may not have them yet).
-- KEYS    1 gen  2 dirty  3… things: liked_by, amounts of each
-- ARGV    1 generation  2 repeatable (1 or 0), then per like: index of its thing's liked_by in KEYS, thing, player
-- returns per like: how often, whether it is dirty (1 or 0)
--! include guard.lua
local repeatable = ARGV[2] == '1'
--! include state.lua
local answer = {}
for i = 3, #ARGV, 3 do
  local at = tonumber(ARGV[i])
  answer[#answer + 1] = (state(KEYS[at], KEYS[at + 1], ARGV[i + 2]))
  answer[#answer + 1] = redis.call('HEXISTS', KEYS[2], ARGV[i + 1] .. '\n' .. ARGV[i + 2])
end
return answer
