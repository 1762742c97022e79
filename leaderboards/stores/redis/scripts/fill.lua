#!lua
-- Fills an emptied period, while SQL answers reads and writers publish nothing.
-- KEYS    1 gen  2 zset  3 members  4 scores  then moved, if the period has score ranges
-- ARGV    1 generation  2 in_member (1 or 0)  3 dense (1 or 0), then per player, each once: player, score, member
-- returns the number of players
--! include guard.lua
local in_member, dense = ARGV[2] == '1', ARGV[3] == '1'
--! include batch.lua
--! include place.lua
local players, scores, members = {}, {}, {}
for i = 4, #ARGV, 3 do
  local n = #players + 1
  players[n], scores[n], members[n] = ARGV[i], ARGV[i + 1], ARGV[i + 2]
end
place(players, scores, members)
return #players
