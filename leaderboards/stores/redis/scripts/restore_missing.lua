#!lua
-- Finds players that a period lost without a trace, and restores their standings from SQL if asked to.
-- A player that was removed or scored, and is not mirrored yet, has a dirty mark: they are not lost.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  6 dirty  then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)  5 restore them (1 or 0)
--         then per player, each once: player, score, member, stored_state ('' for none)
-- returns the lost players
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include batch.lua
--! include place.lua
local players, scores, members, stored_state = {}, {}, {}, {}
for i = 6, #ARGV, 4 do
  local player, member = ARGV[i], member_of(ARGV[i])
  local current_score = member and redis.call('ZSCORE', KEYS[2], member)
  if not current_score and redis.call('HEXISTS', KEYS[6], player) == 0 then
    local n = #players + 1
    players[n], members[n] = player, ARGV[i + 2]
    scores[n] = redis.call('ZSCORE', KEYS[2], members[n]) or ARGV[i + 1] -- its member may be there without a player
    if ARGV[i + 3] ~= '' then stored_state[#stored_state + 1], stored_state[#stored_state + 2] = player, ARGV[i + 3] end
  end
end
if ARGV[5] == '1' then
  place(players, scores, members)
  batch_write('HSET', KEYS[5], stored_state)
end
return players
