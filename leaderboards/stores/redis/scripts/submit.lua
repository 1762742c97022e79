#!lua
-- Evaluates entries by the period's policy and applies them: the write of boards that Redis decides.
-- It reads all standings, evaluates the entries in order, each against the result of those before it, and writes all changes at the end.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  6 seq  7 dirty  8 closed  9… id buckets, in pairs: today's, yesterday's
--         then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 policy (best|latest|increment)  4 kind (more|less: points; text: criteria, greater is better)
--         5 form (score|member|plain)  6 dense (1|0)  7 2^time bits  8 times grow (1|0)  9 lowest total  10 highest total
--         11 the period as ids store it  12 cells per entry  13 whether any entry has a policy of its own (1|0)
--         then per entry: player, value, time; of kind text also: score, member; if ARGV[13] is 1, also: its policy ('' for the period's);
--         if any entry has an id, also: id field ('' for none), id proof, index of its bucket in KEYS
-- returns a letter per entry (U updated, S same, D duplicate, R id reused, E counted in another period, O out of range, C closed); then score and member
--         ('' not ranked) of each entry whose player's standing is not the entry itself: of U only if its policy is increment
--! include guard.lua
--! include deadline.lua
local policy, kind, form, dense = ARGV[3], ARGV[4], ARGV[5], ARGV[6] == '1'
local unit, grows = tonumber(ARGV[7]), ARGV[8] == '1'
local lowest, highest, here, cells = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11], tonumber(ARGV[12])
local period_policy, own_policies = policy, ARGV[13] == '1'
local in_member, stores = form == 'member', form == 'plain' or kind == 'text'
--! include batch.lua
--! include members_and_scores.lua
--! include place.lua
--! include standings.lua
--! include evaluate.lua
--! include ids.lua
local closed, cells_of_value = redis.call('EXISTS', KEYS[8]) == 1, kind == 'text' and 5 or 3
local cells_without_id = cells_of_value + (own_policies and 1 or 0)

-- The standing of each player is at the index of their first entry, which `first` has.
local players, first, changed = {}, {}, {}
for i = 14, #ARGV, cells do players[#players + 1] = ARGV[i] end
local members, scores = members_and_scores_of(players)
local stored_state = stores and batch_read('HMGET', KEYS[5], players) or {}

local function decide(nth, i)
  if closed then return 'C' end
  if own_policies then policy = ARGV[i + cells_of_value] ~= '' and ARGV[i + cells_of_value] or period_policy end
  local value, at, old, old_at = ARGV[i + 1], ARGV[i + 2], nil, nil
  if kind ~= 'text' then value = tonumber(value) end
  if form == 'score' then at = tonumber(at) end
  if scores[nth] then old, old_at = value_and_time(scores[nth], members[nth], stored_state[nth]) end
  local letter, new, new_at = evaluate(old, old_at, value, at)
  if letter ~= 'U' then return letter end
  if kind == 'text' then
    scores[nth], members[nth] = ARGV[i + 3], ARGV[i + 4]
  else
    scores[nth], members[nth] = pack(ARGV[i], new, new_at)
  end
  stored_state[nth], changed[nth] = stores and stored_state_of(new, new_at), true
  return letter
end

local function decide_by_id(nth, i)
  local id = i + cells_without_id
  local field, proof, bucket = ARGV[id], ARGV[id + 1], tonumber(ARGV[id + 2])
  local known = find_id(field, bucket)
  if known and string.sub(known, 1, 6) ~= proof then return 'R' end
  if known then return string.sub(known, 7) == here and 'D' or 'E' end
  local letter = decide(nth, i)
  if letter == 'U' or letter == 'S' then remember_id(field, proof .. here, bucket) end
  return letter
end

local letters, answer, decide_entry = {}, { '' }, cells > cells_without_id and decide_by_id or decide
for n, player in ipairs(players) do
  local nth = first[player] or n
  first[player] = nth
  letters[n] = decide_entry(nth, 14 + (n - 1) * cells)
  if letters[n] ~= 'U' or policy == 'increment' then
    answer[#answer + 1] = scores[nth] and as_text(scores[nth]) or ''
    answer[#answer + 1] = scores[nth] and members[nth] or ''
  end
end
answer[1] = table.concat(letters)

local new_players, new_scores, new_members, marks, states = {}, {}, {}, {}, {}
for nth, player in ipairs(players) do
  if changed[nth] then
    local n = #new_players + 1
    new_players[n], new_scores[n], new_members[n] = player, scores[nth], members[nth]
    marks[2 * n - 1] = player
    if stores then states[2 * n - 1], states[2 * n] = player, stored_state[nth] end
  end
end
local count = #new_players
if count > 0 then
  local version = redis.call('INCRBY', KEYS[6], count) - count -- no number is used twice
  for n = 1, count do marks[2 * n] = version + n end
  place(new_players, new_scores, new_members)
  batch_write('HSET', KEYS[5], states)
  batch_write('HSET', KEYS[7], marks)
end
write_ids()
return answer
