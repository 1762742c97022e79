#!lua flags=allow-oom
-- Reads players' scores, without counting anybody.
-- KEYS    1 gen  2 zset  3 members  4 cache_version
-- ARGV    1 generation  2 in_member (1 or 0)
--         3 the cache_version under which the caller cached period and board ('' if they were just read from SQL)
--         then players
-- returns per player: the score, or '' if not ranked
--! include guard.lua
--! include rows.lua
--! include members.lua
if ARGV[3] ~= '' and redis.call('GET', KEYS[4]) ~= ARGV[3] then
  return redis.error_reply('STALE another cache_version')
end
local answer = {}
for i = 4, #ARGV do
  local member = ARGV[i]
  if ARGV[2] == '1' then member = redis.call('HGET', KEYS[3], member) end
  answer[#answer + 1] = member and score_of(member) or ''
end
return answer
