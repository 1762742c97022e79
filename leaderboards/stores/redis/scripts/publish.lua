#!lua
-- Publishes standings that SQL has committed, each only if it is still announced with the same token.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 inflight
-- ARGV    1 generation  2 in_member (1 or 0)  3 dense (1 or 0)  4 token
--         then per player, each once: player, score ('' removes the player), member
-- returns how many were published; the others were announced anew or published already
--! include guard.lua
local in_member, dense = ARGV[2] == '1', ARGV[3] == '1'
--! include batch.lua
--! include place.lua
local announced = {}
for i = 5, #ARGV, 3 do announced[#announced + 1] = ARGV[i] end
local published, players, scores, members = {}, {}, {}, {}
for n, token in ipairs(batch_read('HMGET', KEYS[5], announced)) do
  if token == ARGV[4] then
    local i, at = 3 * n + 2, #players + 1
    published[#published + 1] = ARGV[i]
    if ARGV[i + 1] == '' then
      remove(ARGV[i])
    else
      players[at], scores[at], members[at] = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    end
  end
end
place(players, scores, members)
batch_write('HDEL', KEYS[5], published)
return #published
