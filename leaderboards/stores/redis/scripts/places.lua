-- Finds places in a sorted set. Expects KEYS[2] zset and the local down (greater scores are better).
local function better(key, score)
  if down then return redis.call('ZCOUNT', key, '(' .. score, '+inf') end
  return redis.call('ZCOUNT', key, '-inf', '(' .. score)
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
  local index = redis.call(down and 'ZREVRANK' or 'ZRANK', KEYS[2], member)
  if index and tonumber(redis.call('ZSCORE', KEYS[2], member)) == tonumber(score) then return index, 1 end
  local low = better(KEYS[2], score)
  local high = low + redis.call('ZCOUNT', KEYS[2], score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local there = redis.call(down and 'ZREVRANGE' or 'ZRANGE', KEYS[2], middle, middle)[1]
    if stands_before(there, member) then low = middle + 1 else high = middle end
  end
  return low, 0
end
