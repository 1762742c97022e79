-- What is known of entries without applying them: was the id seen, and where does the player stand?
-- KEYS    1 gen  2 zset  3 members  4 held  5… id buckets, in pairs: today's, yesterday's
-- ARGV    1 generation  2 in_member (1 or 0), then per entry: player, id field ('' for none), index of its bucket in KEYS
-- returns per entry: id proof ('' if not seen), score, member ('' if not ranked), held ('' if nothing)
--! include guard.lua
local answer = {}
for i = 3, #ARGV, 3 do
  local player, field, bucket = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
  local proof = field ~= '' and (redis.call('HGET', KEYS[bucket], field) or redis.call('HGET', KEYS[bucket + 1], field))
  local member = player
  if ARGV[2] == '1' then member = redis.call('HGET', KEYS[3], player) end
  local score = member and redis.call('ZSCORE', KEYS[2], member)
  answer[#answer + 1] = proof or ''
  answer[#answer + 1] = score or ''
  answer[#answer + 1] = score and member or ''
  answer[#answer + 1] = score and redis.call('HGET', KEYS[4], player) or ''
end
return answer
