#!lua
-- Puts likes from SQL back into a kind that Redis decides over, after memory was lost or rolled back.
-- KEYS    1 gen  2 seq  3… things: liked_by, likes_count, amounts of each
-- ARGV    1 generation  2 deadline  3 repeatable (1 or 0), then per like: index of its thing's liked_by in KEYS, player, version, how often, when in ms
-- returns the sequence's value
--! include guard.lua
--! include deadline.lua
local repeatable = ARGV[3] == '1'
--! include state.lua
local sequence = redis.call('GET', KEYS[2]) or '0'
for i = 4, #ARGV, 5 do
  local at, player, version = tonumber(ARGV[i]), ARGV[i + 1], ARGV[i + 2]
  local own = state(KEYS[at], KEYS[at + 2], player)
  become(KEYS[at], KEYS[at + 1], KEYS[at + 2], player, own, tonumber(ARGV[i + 3]), ARGV[i + 4])
  if tonumber(version) > tonumber(sequence) then sequence = version end
end
redis.call('SET', KEYS[2], sequence)
return sequence
