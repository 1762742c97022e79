#!lua
-- Restores standings from SQL in a period that Redis decides, after memory was lost or rolled back.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)
--         then per player, each once: player, score ('' removes them), member, stored_state ('' for none)
-- returns 1
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include batch.lua
--! include place.lua
local players, scores, members, stored_state = {}, {}, {}, {}
for i = 5, #ARGV, 4 do
  local player, score, n = ARGV[i], ARGV[i + 1], #players + 1
  if score == '' then
    remove(player)
  else
    players[n], scores[n], members[n] = player, score, ARGV[i + 2]
    if ARGV[i + 3] ~= '' then stored_state[#stored_state + 1], stored_state[#stored_state + 2] = player, ARGV[i + 3] end
  end
end
place(players, scores, members)
batch_write('HSET', KEYS[5], stored_state)
return 1
