-- Answers any number of questions about one period from one moment of it.
-- KEYS    1 gen  2 zset  3 members  4 scores
-- ARGV    1 generation  2 descending (1 or 0)  3 ties (first_come|last_come|shared|dense)  4 in_member (1 or 0)
--         then questions: 'page', offset, limit | 'around', player, radius | 'named', n, player 1 … player n
-- returns the total, then per question a flat list of rows: member, score, rank, tied (how many share the rank), ahead (how many are better)
--! include guard.lua
local down, ties, in_member = ARGV[2] == '1', ARGV[3], ARGV[4] == '1'
local total = redis.call('ZCARD', KEYS[2])

local function range(first, last)
  return redis.call(down and 'ZREVRANGE' or 'ZRANGE', KEYS[2], first, last, 'WITHSCORES')
end

local function index_of(player)
  local member = player
  if in_member then member = redis.call('HGET', KEYS[3], player) end
  return member and redis.call(down and 'ZREVRANK' or 'ZRANK', KEYS[2], member)
end

local function better(key, score)
  if down then return redis.call('ZCOUNT', key, '(' .. score, '+inf') end
  return redis.call('ZCOUNT', key, '-inf', '(' .. score)
end

local shares = ties == 'shared' or ties == 'dense'

local function place_of(score, index)
  if not shares then return index + 1, 1, index end
  local ahead, tied = better(KEYS[2], score), redis.call('ZCOUNT', KEYS[2], score, score)
  if ties == 'dense' then return better(KEYS[4], score) + 1, tied, ahead end
  return ahead + 1, tied, ahead
end

local function rows(first, last)
  if last < first then return {} end
  local found, answer = range(first, last), {}
  local score, rank, tied, ahead
  for i = 1, #found, 2 do
    if found[i + 1] ~= score or not shares then
      score = found[i + 1]
      rank, tied, ahead = place_of(score, first + (i - 1) / 2)
    end
    local at = #answer
    answer[at + 1], answer[at + 2], answer[at + 3], answer[at + 4], answer[at + 5] = found[i], score, rank, tied, ahead
  end
  return answer
end

local function named(first, last)
  local answer = {}
  for i = first, last do
    local index = index_of(ARGV[i])
    if index then
      for _, cell in ipairs(rows(index, index)) do answer[#answer + 1] = cell end
    end
  end
  return answer
end

local answers, i = { total }, 5
while ARGV[i] do
  if ARGV[i] == 'page' then
    answers[#answers + 1] = rows(tonumber(ARGV[i + 1]), ARGV[i + 1] + ARGV[i + 2] - 1)
    i = i + 3
  elseif ARGV[i] == 'around' then
    local index = index_of(ARGV[i + 1])
    answers[#answers + 1] = index and rows(math.max(index - ARGV[i + 2], 0), index + ARGV[i + 2]) or {}
    i = i + 3
  else
    local n = tonumber(ARGV[i + 1])
    answers[#answers + 1] = named(i + 2, i + 1 + n)
    i = i + 2 + n
  end
end
return answers
