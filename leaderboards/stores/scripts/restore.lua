#!lua
-- Puts standings from SQL into a period that Redis decides over, after memory was lost or rolled back.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 held
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)
--         then per player, each once: player, score ('' takes them out), member, held ('' for none)
-- returns 1
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include many.lua
--! include place.lua
local players, scores, members, held = {}, {}, {}, {}
for i = 5, #ARGV, 4 do
  local player, score, n = ARGV[i], ARGV[i + 1], #players + 1
  if score == '' then
    take(player)
  else
    players[n], scores[n], members[n] = player, score, ARGV[i + 2]
    if ARGV[i + 3] ~= '' then held[#held + 1], held[#held + 2] = player, ARGV[i + 3] end
  end
end
place(players, scores, members)
tell('HSET', KEYS[5], held)
return 1
