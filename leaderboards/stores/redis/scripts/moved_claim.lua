#!lua
-- Reads notes of players who have changed, and adds to each who has read it and where the player is now.
-- KEYS    1 gen  2 zset  3 members  4 moved
-- ARGV    1 generation  2 in_member (1 or 0)  3 mark  4 cursor (0 to begin)  5 about how many
-- returns the next cursor (0 at the end), then per player: player, note, score ('' if there is none), member; nothing if the
--         family notes nothing
--! include guard.lua
--! include batch.lua
local in_member = ARGV[2] == '1'
--! include members_and_scores.lua
if redis.call('HEXISTS', KEYS[4], '') == 0 then return {} end
local next_cursor, found = unpack(redis.call('HSCAN', KEYS[4], ARGV[4], 'COUNT', ARGV[5]))
local players, notes = {}, {}
for i = 1, #found, 2 do
  if found[i] ~= '' then players[#players + 1], notes[#notes + 1] = found[i], found[i + 1] end
end
local members, scores = members_and_scores_of(players)
local answer, written = { next_cursor }, {}
for n, player in ipairs(players) do
  local now = scores[n] and string.format('%.17g', tonumber(scores[n])) .. ' ' .. members[n] or ''
  local lines, has_now = { '#' .. ARGV[3] }, now == ''
  for line in string.gmatch(notes[n], '[^\n]+') do
    if string.sub(line, 1, 1) ~= '#' then
      lines[#lines + 1] = line
      has_now = has_now or line == now
    end
  end
  if not has_now then lines[#lines + 1] = now end
  local note, at = table.concat(lines, '\n'), #answer
  written[2 * n - 1], written[2 * n] = player, note
  answer[at + 1], answer[at + 2], answer[at + 3], answer[at + 4] = player, note, scores[n] or '', scores[n] and members[n] or ''
end
batch_write('HSET', KEYS[4], written)
return answer
