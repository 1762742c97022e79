-- What SQL does not have yet.
-- KEYS    1 gen  2 zset  3 members  4 held  5 dirty
-- ARGV    1 generation  2 in_member (1 or 0)  3 about how many
-- returns the number of dirty players, then per player: player, version, score, member ('' if he was taken out), held
--! include guard.lua
local found = redis.call('HSCAN', KEYS[5], 0, 'COUNT', ARGV[3])[2]
local answer, players = { redis.call('HLEN', KEYS[5]) }, {}
for i = 1, #found, 2 do players[#players + 1] = found[i] end
-- One call for all players, not one for each: a thousand of those would hold everybody up for 10 ms. Few at a time,
-- since Lua's stack holds no more than 8,000.
for first = 1, #players, 500 do
  local last = math.min(first + 499, #players)
  local members, held = {}, redis.call('HMGET', KEYS[4], unpack(players, first, last))
  if ARGV[2] == '1' then members = redis.call('HMGET', KEYS[3], unpack(players, first, last)) end
  for i = 1, last - first + 1 do members[i] = members[i] or (ARGV[2] == '1' and '' or players[first + i - 1]) end
  local scores = redis.call('ZMSCORE', KEYS[2], unpack(members))
  for i, score in ipairs(scores) do
    answer[#answer + 1] = players[first + i - 1]
    answer[#answer + 1] = found[2 * (first + i - 1)]
    answer[#answer + 1] = score or ''
    answer[#answer + 1] = score and members[i] or ''
    answer[#answer + 1] = score and held[i] or ''
  end
end
return answer
