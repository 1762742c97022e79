-- The number of likes in a view's sets, independent of its count.
-- KEYS[2] liked_by · KEYS[4] amounts
local function total()
  local sum = redis.call('ZCARD', KEYS[2])
  for _, amount in ipairs(redis.call('HVALS', KEYS[4])) do
    sum = sum + amount - 1
  end
  return sum
end
