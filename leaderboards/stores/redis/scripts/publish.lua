#!lua
-- Publishes standings that SQL has committed, each only while its announcement is open. That ends this announcement and
-- the earlier ones; later ones stay open.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 inflight  then moved, if the period has score ranges
-- ARGV    1 generation  2 in_member (1 or 0)  3 dense (1 or 0)  4 token  5 last (1: only if none was announced later)
--         then per player, each once: player, score ('' removes the player), member
-- returns the players that were not published
--! include guard.lua
local in_member, dense, last = ARGV[2] == '1', ARGV[3] == '1', ARGV[5] == '1'
--! include batch.lua
--! include place.lua
local announced = {}
for i = 6, #ARGV, 3 do announced[#announced + 1] = ARGV[i] end
local ended, later, players, scores, members, others = {}, {}, {}, {}, {}, {}
for n, open in ipairs(batch_read('HMGET', KEYS[5], announced)) do
  open = open or ''
  local _, stop = string.find(open, ARGV[4], 1, true)
  if stop and (stop == #open or not last) then
    local i, at = 3 * n + 3, #players + 1
    if stop == #open then
      ended[#ended + 1] = ARGV[i]
    else
      later[#later + 1], later[#later + 2] = ARGV[i], string.sub(open, stop + 1)
    end
    if ARGV[i + 1] == '' then
      remove(ARGV[i], ARGV[i + 2])
    else
      players[at], scores[at], members[at] = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    end
  else
    others[#others + 1] = announced[n]
  end
end
place(players, scores, members)
batch_write('HDEL', KEYS[5], ended)
batch_write('HSET', KEYS[5], later)
return others
