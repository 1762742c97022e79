-- What SQL does not have yet.
-- KEYS    1 gen  2 zset  3 members  4 held  5 dirty
-- ARGV    1 generation  2 in_member (1 or 0)  3 about how many
-- returns the number of dirty players, then per player: player, version, score, member ('' if he was taken out), held
--! include guard.lua
local found = redis.call('HSCAN', KEYS[5], 0, 'COUNT', ARGV[3])[2]
local answer = { redis.call('HLEN', KEYS[5]) }
for i = 1, #found, 2 do
  local player, member = found[i], found[i]
  if ARGV[2] == '1' then member = redis.call('HGET', KEYS[3], player) end
  local score = member and redis.call('ZSCORE', KEYS[2], member)
  answer[#answer + 1] = player
  answer[#answer + 1] = found[i + 1]
  answer[#answer + 1] = score or ''
  answer[#answer + 1] = score and member or ''
  answer[#answer + 1] = score and redis.call('HGET', KEYS[4], player) or ''
end
return answer
