#!lua
-- Puts exact scores that SQL has decided, or takes players out: the hybrid storage's write, and every rebuild.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 unsure
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)  5 token ('' for none)  6 the players it stands for
--         then per player, each once: player, score ('' takes him out), member
-- returns the number of players
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include many.lua
--! include place.lua
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[5], ARGV[5], ARGV[6])
end
local players, scores, members = {}, {}, {}
for i = 7, #ARGV, 3 do
  if ARGV[i + 1] == '' then
    take(ARGV[i])
  else
    local n = #players + 1
    players[n], scores[n], members[n] = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  end
end
place(players, scores, members)
return (#ARGV - 6) / 3
