#!lua flags=allow-oom
-- Reads the recent submissions of players and the first place, for plausibility limits.
-- KEYS    1 gen  2 zset  3 members  4… lists of players, the latest first
-- ARGV    1 generation  2 in_member (1 or 0)  3 less is better (1 or 0)  4 how many rows of a list  5 how many shown players
--         the first place needs (0: do not read it)  6 how many players at the end are hidden, then the players
-- returns member and score of the first place among shown players ('' for none, or too few players), then per player that
--         is not hidden: score, member ('' if not ranked), and the list, separated by blanks
--! include guard.lua
local in_member = ARGV[2] == '1'
--! include batch.lua
--! include members_and_scores.lua
local players, length, min_players = {}, tonumber(ARGV[4]), tonumber(ARGV[5])
for i = 7, #ARGV do players[#players + 1] = ARGV[i] end
local members, scores = members_and_scores_of(players)
local shown, is_hidden, hidden_count = #players - tonumber(ARGV[6]), {}, 0
for n = shown + 1, #players do
  if scores[n] then is_hidden[members[n]], hidden_count = true, hidden_count + 1 end
end
local answer = { '', '' }
if min_players > 0 and redis.call('ZCARD', KEYS[2]) - hidden_count >= min_players then
  local best = redis.call(ARGV[3] == '1' and 'ZRANGE' or 'ZREVRANGE', KEYS[2], 0, hidden_count, 'WITHSCORES')
  for n = 1, #best, 2 do
    if not is_hidden[best[n]] then
      answer = { best[n], best[n + 1] }
      break
    end
  end
end
for n = 1, shown do
  local score = scores[n]
  local at = #answer
  answer[at + 1], answer[at + 2] = score or '', score and members[n] or ''
  answer[at + 3] = length > 0 and table.concat(redis.call('LRANGE', KEYS[3 + n], 0, length - 1), ' ') or ''
end
return answer
