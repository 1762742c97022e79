#!lua flags=allow-oom
-- What is known of entries without applying them: was the id seen, and where does the player stand?
-- KEYS    1 gen  2 zset  3 members  4 held  5… id buckets, in pairs: today's, yesterday's
-- ARGV    1 generation  2 in_member (1 or 0), then per entry: player, id field ('' for none), index of its bucket in KEYS
-- returns per entry: id proof ('' if not seen), score, member ('' if not ranked), held ('' if nothing)
--! include guard.lua
local in_member = ARGV[2] == '1'
--! include many.lua
--! include spots.lua
--! include ids.lua
local players, answer = {}, {}
for i = 3, #ARGV, 3 do players[#players + 1] = ARGV[i] end
local members, scores = spots_of(players)
local held = ask('HMGET', KEYS[4], players)
for n, score in ipairs(scores) do
  local at = #answer
  answer[at + 1] = seen(ARGV[3 * n + 1], tonumber(ARGV[3 * n + 2])) or ''
  answer[at + 2], answer[at + 3], answer[at + 4] = score or '', score and members[n] or '', score and held[n] or ''
end
return answer
