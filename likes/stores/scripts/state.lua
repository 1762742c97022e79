-- Read and write a player's likes of a thing. Needs the local variable repeatable.
local function state(key_liked_by, key_amounts, player)
  local at = redis.call('ZSCORE', key_liked_by, player)
  if not at then return 0, false end
  return repeatable and tonumber(redis.call('HGET', key_amounts, player) or '0') or 1, at
end

-- The count changes by the difference of the two states, and never below 0.
local function become(key_liked_by, key_count, key_amounts, player, own, wanted, at)
  if wanted > 0 then
    redis.call('ZADD', key_liked_by, at, player)
    if repeatable then redis.call('HSET', key_amounts, player, wanted) end
  else
    redis.call('ZREM', key_liked_by, player)
    if repeatable then redis.call('HDEL', key_amounts, player) end
  end
  local count = tonumber(redis.call('GET', key_count) or '0')
  local step = math.max(wanted - own, -count)
  if step ~= 0 then redis.call('INCRBY', key_count, string.format('%.0f', step)) end
end
