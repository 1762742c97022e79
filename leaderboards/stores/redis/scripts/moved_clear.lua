#!lua flags=allow-oom
-- Clears notes of players whom the score ranges have where a pass has found them; of those who have moved since, the note
-- becomes that place. Notes that another pass has read since stay.
-- KEYS    1 gen  2 zset  3 members  4 moved
-- ARGV    1 generation  2 in_member (1 or 0), then per player: player, note, the place that the ranges have ('' for none)
-- returns 1
--! include guard.lua
--! include batch.lua
local in_member = ARGV[2] == '1'
--! include members_and_scores.lua
local players = {}
for i = 3, #ARGV, 3 do players[#players + 1] = ARGV[i] end
local members, scores = members_and_scores_of(players)
local notes = batch_read('HMGET', KEYS[4], players)
local cleared, moved_on = {}, {}
for n, player in ipairs(players) do
  local there = ARGV[3 * n + 2]
  if notes[n] == ARGV[3 * n + 1] then
    local now = scores[n] and string.format('%.17g', tonumber(scores[n])) .. ' ' .. members[n] or ''
    if now == there then
      cleared[#cleared + 1] = player
    else
      moved_on[#moved_on + 1], moved_on[#moved_on + 2] = player, there
    end
  end
end
batch_write('HDEL', KEYS[4], cleared)
batch_write('HSET', KEYS[4], moved_on)
return 1
