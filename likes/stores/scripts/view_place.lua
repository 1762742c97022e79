-- Set a player's likes in a view. It sets a state, so that doing it twice changes nothing.
-- KEYS[2] liked_by · KEYS[4] amounts (only of players with more than one like)
local function own(player)
  local amount = redis.call('HGET', KEYS[4], player)
  if amount then return tonumber(amount) end
  return redis.call('ZSCORE', KEYS[2], player) and 1 or 0
end

local function place(player, amount, ms)
  local before = own(player)
  if amount > 0 then
    redis.call('ZADD', KEYS[2], ms, player)
  else
    redis.call('ZREM', KEYS[2], player)
  end
  if amount > 1 then
    redis.call('HSET', KEYS[4], player, amount)
  else
    redis.call('HDEL', KEYS[4], player)
  end
  return amount - before
end
