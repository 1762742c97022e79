#!lua flags=allow-oom
-- Reads dirty standings: those that SQL does not have yet.
-- KEYS    1 gen  2 zset  3 members  4 stored_state  5 dirty
-- ARGV    1 generation  2 in_member (1 or 0)  3 cursor (0 to begin)  4 about how many
-- returns the number of dirty players, the next cursor (0 at the end), then per player: player, version, score ('' if removed), member, stored_state
--! include guard.lua
local in_member = ARGV[2] == '1'
--! include batch.lua
--! include members_and_scores.lua
local next_cursor, marks = unpack(redis.call('HSCAN', KEYS[5], ARGV[3], 'COUNT', ARGV[4]))
local answer, players = { redis.call('HLEN', KEYS[5]), next_cursor }, {}
for i = 1, #marks, 2 do players[#players + 1] = marks[i] end
local members, scores = members_and_scores_of(players)
local stored_state = batch_read('HMGET', KEYS[4], players)
for n, score in ipairs(scores) do
  local at = #answer
  answer[at + 1], answer[at + 2], answer[at + 3] = players[n], marks[2 * n], score or ''
  answer[at + 4], answer[at + 5] = score and members[n] or '', score and stored_state[n] or ''
end
return answer
