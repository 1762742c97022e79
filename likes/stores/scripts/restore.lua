#!lua
-- Write likes from SQL into a kind that Redis decides, after its data was lost or rolled back.
-- KEYS    1 gen  2… things: liked_by, likes_count, amounts of each
-- ARGV    1 generation  2 deadline  3 repeatable (1 or 0), then per like: index of its thing's liked_by in KEYS, player, how often, when in ms
-- returns 1
--! include guard.lua
--! include deadline.lua
local repeatable = ARGV[3] == '1'
--! include state.lua
for i = 4, #ARGV, 4 do
  local at, player = tonumber(ARGV[i]), ARGV[i + 1]
  local own = state(KEYS[at], KEYS[at + 2], player)
  become(KEYS[at], KEYS[at + 1], KEYS[at + 2], player, own, tonumber(ARGV[i + 2]), ARGV[i + 3])
end
return 1
