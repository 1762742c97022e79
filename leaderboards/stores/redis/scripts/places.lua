-- Finds places in a family. Expects KEYS[2] zset, KEYS[4] scores, rows.lua, members.lua and the local down (greater scores
-- are better). Of compact families `compact/places.lua` is included in its place.
local function better(score)
  if down then return count_between('(' .. score, '+inf') end
  return count_between('-inf', '(' .. score)
end

local function distinct_better(score)
  if down then return redis.call('ZCOUNT', KEYS[4], '(' .. score, '+inf') end
  return redis.call('ZCOUNT', KEYS[4], '-inf', '(' .. score)
end

-- Whether a member stands before another one with the same score: byte by byte, since < goes by the server's locale.
local function stands_before(one, other)
  for i = 1, math.min(#one, #other) do
    local a, b = string.byte(one, i), string.byte(other, i)
    if a ~= b then return (a > b) == down end
  end
  return #one ~= #other and (#one > #other) == down
end

-- The number of rows before the place of a member with this score, whether or not it is there: by halving among equals.
-- Also whether it is there (1 or 0).
local function rows_before(score, member)
  local index = index_of(member, down)
  if index and tonumber(score_of(member)) == tonumber(score) then return index, 1 end
  local low = better(score)
  local high = low + count_between(score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local there = rows_at(middle, middle, down)[1]
    if stands_before(there, member) then low = middle + 1 else high = middle end
  end
  return low, 0
end
