#!lua flags=allow-oom
-- Looks up entries without applying them: whether the id was counted on the board, and the player's standing.
-- KEYS    1 gen  2 zset  3 members  4 stored_state  5… id buckets, in pairs: today's, yesterday's
-- ARGV    1 generation  2 in_member (1 or 0), then per entry: player, id field ('' for none), index of its bucket in KEYS
-- returns per entry: the value of the id ('' if unknown), score, member ('' if not ranked), stored_state ('' if nothing)
--! include guard.lua
local in_member = ARGV[2] == '1'
--! include batch.lua
--! include members_and_scores.lua
--! include ids.lua
--! include standings_reply.lua
local players, id_values = {}, {}
for i = 3, #ARGV, 3 do
  players[#players + 1] = ARGV[i]
  id_values[#players] = find_id(ARGV[i + 1], tonumber(ARGV[i + 2])) or ''
end
return standings_reply(players, id_values)
