-- Answers the questions of a caller about the rows of a family. Expects KEYS[2] zset, rows.lua, members.lua, places.lua, the
-- locals down (greater scores are better) and in_member, and first_question, the index of the first question in ARGV.
-- A question: 'rows', the first index, how many | 'player', player, '' | 'score', score, '' | 'place', 'score member',
--         'ahead behind after': rows before and behind (after: 1 or 0) the place that a member with the score has, or would have
-- The answer is `lines` (no member has a line break): the number of players, then per question: how many are strictly better,
--         how many stand before, how many have the same score (all three 0 unless it asks about a place; of a score alone none
--         stands before), the number of rows, then member, score of each row
local function rows(first, last)
  if last < first then return {} end
  return rows_at(first, last, down)
end

local function player(name)
  local member = name
  if in_member then member = redis.call('HGET', KEYS[3], name) end
  local score = member and score_of(member)
  return score and { member, score } or {}
end

local function place(where, sizes)
  local score, member = string.match(where, '^(%S+) (.*)$')
  local ahead, behind, after = string.match(sizes, '^(%d+) (%d+) (%d)$')
  local index, is_there = rows_before(score, member)
  if after == '1' then index = index + is_there end
  local found = rows(math.max(index - ahead, 0), index + behind - 1)
  return better(score), index, count_between(score, score), found
end

local lines = { count_rows() }
for i = first_question, #ARGV, 3 do
  local ahead, before, tied, found = 0, 0, 0, nil
  if ARGV[i] == 'rows' then
    found = rows(tonumber(ARGV[i + 1]), ARGV[i + 1] + ARGV[i + 2] - 1)
  elseif ARGV[i] == 'player' then
    found = player(ARGV[i + 1])
  elseif ARGV[i] == 'score' then
    ahead, before, tied, found = better(ARGV[i + 1]), 0, count_between(ARGV[i + 1], ARGV[i + 1]), {}
  else
    ahead, before, tied, found = place(ARGV[i + 1], ARGV[i + 2])
  end
  local at = #lines
  lines[at + 1], lines[at + 2], lines[at + 3], lines[at + 4] = ahead, before, tied, #found / 2
  if #found > 0 then lines[at + 5] = table.concat(found, '\n') end
end
