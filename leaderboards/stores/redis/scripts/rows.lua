-- The rows of a family, in a sorted set. Expects KEYS[2] zset. Of compact families `compact/rows.lua` is included in its place.
local function count_rows()
  return redis.call('ZCARD', KEYS[2])
end

-- Rows from one index to another, from the greatest (down) or the least: member, score of each.
local function rows_at(first, last, from_greatest)
  return redis.call(from_greatest and 'ZREVRANGE' or 'ZRANGE', KEYS[2], first, last, 'WITHSCORES')
end

-- The bounds are as ZCOUNT takes them.
local function count_between(from, to)
  return redis.call('ZCOUNT', KEYS[2], from, to)
end
