-- Where a player stands in the sorted set. Expects KEYS[2] zset, KEYS[3] members, KEYS[4] scores,
-- and the locals in_member (the member carries the time) and dense (distinct scores are kept).
-- Adds before it removes, so that a server out of memory refuses before anything has changed.
local function as_text(score)
  return string.format('%.17g', tonumber(score))
end

local function member_of(player)
  if in_member then return redis.call('HGET', KEYS[3], player) end
  return player
end

local function drop_score(score)
  if dense and score and redis.call('ZCOUNT', KEYS[2], as_text(score), as_text(score)) == 0 then
    redis.call('ZREM', KEYS[4], as_text(score))
  end
end

local function place(player, member, score)
  local old = in_member and member_of(player)
  local before = dense and redis.call('ZSCORE', KEYS[2], member)
  redis.call('ZADD', KEYS[2], score, member)
  if in_member then redis.call('HSET', KEYS[3], player, member) end
  if old and old ~= member then redis.call('ZREM', KEYS[2], old) end
  if dense then
    redis.call('ZADD', KEYS[4], score, as_text(score))
    drop_score(before)
  end
end

local function take(player)
  local member = member_of(player)
  local score = member and redis.call('ZSCORE', KEYS[2], member)
  if not score then return false end
  redis.call('ZREM', KEYS[2], member)
  if in_member then redis.call('HDEL', KEYS[3], player) end
  drop_score(score)
  return true
end
