#!lua
-- Puts standings from SQL into a period that Redis decides over, after memory was lost or rolled back.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 held  6 seq
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)
--         then per player, each once: player, version, score ('' takes him out), member, held ('' for none)
-- returns the sequence's value
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include many.lua
--! include place.lua
local sequence = redis.call('GET', KEYS[6]) or '0'
local players, scores, members, held = {}, {}, {}, {}
for i = 5, #ARGV, 5 do
  local player, version, score, n = ARGV[i], ARGV[i + 1], ARGV[i + 2], #players + 1
  if score == '' then
    take(player)
  else
    players[n], scores[n], members[n] = player, score, ARGV[i + 3]
    if ARGV[i + 4] ~= '' then held[#held + 1], held[#held + 2] = player, ARGV[i + 4] end
  end
  if tonumber(version) > tonumber(sequence) then sequence = version end
end
place(players, scores, members)
tell('HSET', KEYS[5], held)
redis.call('SET', KEYS[6], sequence)
return sequence
