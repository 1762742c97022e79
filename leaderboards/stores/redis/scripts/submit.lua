#!lua
-- Judges entries by the period's policy and applies them: the redis storage's write.
-- What there is is read first, what has changed is written last, each at once; between, entries meet what those before them made.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  6 seq  7 dirty  8 closed  9… id buckets, in pairs: today's, yesterday's
-- ARGV    1 generation  2 deadline  3 policy (best|latest|increment)  4 kind (more|less: points; text: criteria, greater is better)
--         5 form (score|member|plain)  6 dense (1|0)  7 2^time bits  8 times grow (1|0)  9 lowest total  10 highest total
--         11 the period as ids keep it  12 cells of an entry, then per entry: player, value, time; of kind text also: score, member;
--         where there are ids also: id field ('' for none), id proof, index of its bucket in KEYS
-- returns a letter per entry (U updated, S same, D duplicate, R id reused, E counted in another period, O out of range, C closed); then score and member
--         ('' not ranked) of each whose standing is not what it says itself: of U only where totals are kept
--! include guard.lua
--! include deadline.lua
local policy, kind, form, dense = ARGV[3], ARGV[4], ARGV[5], ARGV[6] == '1'
local unit, grows = tonumber(ARGV[7]), ARGV[8] == '1'
local lowest, highest, here, cells = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11], tonumber(ARGV[12])
local in_member, holds = form == 'member', form == 'plain' or kind == 'text'
--! include batch.lua
--! include members_and_scores.lua
--! include place.lua
--! include standings.lua
--! include evaluate.lua
--! include ids.lua
local closed, own = redis.call('EXISTS', KEYS[8]) == 1, kind == 'text' and 5 or 3

-- What there is of each player, at the place of their first entry; and who is there already.
local players, first, changed = {}, {}, {}
for i = 13, #ARGV, cells do players[#players + 1] = ARGV[i] end
local members, scores = members_and_scores_of(players)
local stored_state = holds and batch_read('HMGET', KEYS[5], players) or {}

local function decide(nth, i)
  if closed then return 'C' end
  local value, at, old, old_at = ARGV[i + 1], ARGV[i + 2], nil, nil
  if kind ~= 'text' then value = tonumber(value) end
  if form == 'score' then at = tonumber(at) end
  if scores[nth] then old, old_at = value_and_time(scores[nth], members[nth], stored_state[nth]) end
  local letter, new, new_at = evaluate(old, old_at, value, at)
  if letter ~= 'U' then return letter end
  if kind == 'text' then
    scores[nth], members[nth] = ARGV[i + 3], ARGV[i + 4]
  else
    scores[nth], members[nth] = packed(ARGV[i], new, new_at)
  end
  stored_state[nth], changed[nth] = holds and held_of(new, new_at), true
  return letter
end

local function decide_once(nth, i)
  local field, proof, bucket = ARGV[i + own], ARGV[i + own + 1], tonumber(ARGV[i + own + 2])
  local before = seen(field, bucket)
  if before and string.sub(before, 1, 6) ~= proof then return 'R' end
  if before then return string.sub(before, 7) == here and 'D' or 'E' end
  local letter = decide(nth, i)
  if letter == 'U' or letter == 'S' then remember(field, proof .. here, bucket) end
  return letter
end

local letters, told, decided = {}, { '' }, cells > own and decide_once or decide
for n, player in ipairs(players) do
  local nth = first[player] or n
  first[player] = nth
  letters[n] = decided(nth, 13 + (n - 1) * cells)
  if letters[n] ~= 'U' or policy == 'increment' then
    told[#told + 1] = scores[nth] and as_text(scores[nth]) or ''
    told[#told + 1] = scores[nth] and members[nth] or ''
  end
end
told[1] = table.concat(letters)

local who, where, as, marks, kept = {}, {}, {}, {}, {}
for nth, player in ipairs(players) do
  if changed[nth] then
    local n = #who + 1
    who[n], where[n], as[n] = player, scores[nth], members[nth]
    marks[2 * n - 1] = player
    if holds then kept[2 * n - 1], kept[2 * n] = player, stored_state[nth] end
  end
end
if #who > 0 then
  local version = redis.call('INCRBY', KEYS[6], #who) - #who -- no number is used twice
  for n = 1, #who do marks[2 * n] = version + n end
  place(who, where, as)
  batch_write('HSET', KEYS[5], kept)
  batch_write('HSET', KEYS[7], marks)
end
keep_ids()
return told
