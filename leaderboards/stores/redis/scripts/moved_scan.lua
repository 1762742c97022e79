#!lua flags=allow-oom
-- Scans a part of a family to fill score ranges, without players who have a note.
-- KEYS    1 gen  2 zset  3 moved
-- ARGV    1 generation  2 how many parts of a member stand before the player  3 cursor ('0' to begin)  4 about how many
-- returns the next cursor ('0' at the end), then per row: member, score
--! include guard.lua
--! include batch.lua
local next_cursor, found = unpack(redis.call('ZSCAN', KEYS[2], ARGV[3], 'COUNT', ARGV[4]))
local pattern, players = '^' .. string.rep('[^_]*_', tonumber(ARGV[2])) .. '(.*)$', {}
for i = 1, #found, 2 do players[#players + 1] = string.match(found[i], pattern) or found[i] end
local noted, answer = batch_read('HMGET', KEYS[3], players), { next_cursor }
for n = 1, #players do
  if not noted[n] then answer[#answer + 1], answer[#answer + 2] = found[2 * n - 1], found[2 * n] end
end
return answer
