-- Judges entries by the period's policy and applies them: the redis storage's write.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 held  6 seq  7 dirty  8 closed  9… id buckets, in pairs: today's, yesterday's
-- ARGV    1 generation  2 deadline  3 policy (best|latest|increment)  4 kind (more|less: points; text: criteria, greater is better)
--         5 form (score|member|plain)  6 dense (1|0)  7 2^time bits  8 times grow (1|0)  9 lowest total  10 highest total
--         then per entry: player, value, time, score, member, id field ('' for none), id proof, index of its bucket in KEYS
-- returns per entry: outcome (U updated, S same, D duplicate, R id reused, O out of range, C closed), score, member
--! include guard.lua
--! include deadline.lua
local policy, kind, form, dense = ARGV[3], ARGV[4], ARGV[5], ARGV[6] == '1'
local unit, grows = tonumber(ARGV[7]), ARGV[8] == '1'
local lowest, highest = tonumber(ARGV[9]), tonumber(ARGV[10])
local in_member = form == 'member'
--! include place.lua
--! include held.lua
--! include judge.lua
local closed = redis.call('EXISTS', KEYS[8]) == 1

local function seen(field, bucket)
  if field == '' then return false end
  return redis.call('HGET', KEYS[bucket], field) or redis.call('HGET', KEYS[bucket + 1], field)
end

local function remember(field, proof, bucket)
  if field ~= '' and redis.call('HSET', KEYS[bucket], field, proof) == 1 and redis.call('HLEN', KEYS[bucket]) == 1 then
    redis.call('EXPIRE', KEYS[bucket], 172800)
  end
end

-- Versions for all entries at once: those of entries that change nothing are left out, and no number is used twice.
local entries = (#ARGV - 10) / 8
local version

local function next_version()
  version = (version or redis.call('INCRBY', KEYS[6], entries) - entries) + 1
  return version
end

local function write(player, value, at, score, member)
  place(player, member, score)
  if form == 'plain' or kind == 'text' then
    redis.call('HSET', KEYS[5], player, at .. '|' .. value)
  end
  redis.call('HSET', KEYS[7], player, next_version())
end

local outcomes, told = {}, 0
for i = 11, #ARGV, 8 do
  local player, field, proof, bucket = ARGV[i], ARGV[i + 5], ARGV[i + 6], tonumber(ARGV[i + 7])
  local before = seen(field, bucket)
  local outcome, value, at, score, member
  if before then
    outcome = before == proof and 'D' or 'R'
  elseif closed then
    outcome = 'C'
  else
    outcome, value, at, score, member = judge(player, ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4])
    if outcome == 'U' then write(player, value, at, score, member) end
    if outcome ~= 'O' then remember(field, proof, bucket) end
  end
  if not score then
    local _
    _, _, score, member = standing(player)
  end
  outcomes[told + 1], outcomes[told + 2], outcomes[told + 3] = outcome, score or '', member or ''
  told = told + 3
end
return outcomes
