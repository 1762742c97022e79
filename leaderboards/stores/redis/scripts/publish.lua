#!lua
-- Shows standings that SQL has committed, each only while the token it was announced with still stands.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 inflight
-- ARGV    1 generation  2 in_member (1 or 0)  3 dense (1 or 0)  4 token
--         then per player, each once: player, score ('' takes them out), member
-- returns how many were shown; of the others somebody has announced anew, or published already
--! include guard.lua
local in_member, dense = ARGV[2] == '1', ARGV[3] == '1'
--! include batch.lua
--! include place.lua
local asked = {}
for i = 5, #ARGV, 3 do asked[#asked + 1] = ARGV[i] end
local shown, players, scores, members = {}, {}, {}, {}
for n, token in ipairs(batch_read('HMGET', KEYS[5], asked)) do
  if token == ARGV[4] then
    local i, at = 3 * n + 2, #players + 1
    shown[#shown + 1] = ARGV[i]
    if ARGV[i + 1] == '' then
      take(ARGV[i])
    else
      players[at], scores[at], members[at] = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    end
  end
end
place(players, scores, members)
batch_write('HDEL', KEYS[5], shown)
return #shown
