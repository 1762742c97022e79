#!lua flags=allow-oom
-- What players submitted lately on a board, and who stands first: what limits of plausibility are held against.
-- KEYS    1 gen  2 zset  3 members  4… lists of players, the latest first
-- ARGV    1 generation  2 in_member (1 or 0)  3 less is better (1 or 0)  4 how many of a list are told  5 how many the first place
--         must be the first of (0: it is not asked for)  6 how many of the players at the end are not shown, then per player: player
-- returns member and score of the first place of those who are shown ('' for none, or where there are too few), then per player but
--         those who are not shown: score, member ('' if not ranked), and the list with a blank between
--! include guard.lua
local in_member = ARGV[2] == '1'
--! include batch.lua
--! include members_and_scores.lua
local players, kept, wanted = {}, tonumber(ARGV[4]), tonumber(ARGV[5])
for i = 7, #ARGV do players[#players + 1] = ARGV[i] end
local members, scores = members_and_scores_of(players)
local asked, out, standing = #players - tonumber(ARGV[6]), {}, 0
for n = asked + 1, #players do
  if scores[n] then out[members[n]], standing = true, standing + 1 end
end
local answer = { '', '' }
if wanted > 0 and redis.call('ZCARD', KEYS[2]) - standing >= wanted then
  local best = redis.call(ARGV[3] == '1' and 'ZRANGE' or 'ZREVRANGE', KEYS[2], 0, standing, 'WITHSCORES')
  for n = 1, #best, 2 do
    if not out[best[n]] then
      answer = { best[n], best[n + 1] }
      break
    end
  end
end
for n = 1, asked do
  local score = scores[n]
  local at = #answer
  answer[at + 1], answer[at + 2] = score or '', score and members[n] or ''
  answer[at + 3] = kept > 0 and table.concat(redis.call('LRANGE', KEYS[3 + n], 0, kept - 1), ' ') or ''
end
return answer
