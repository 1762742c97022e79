-- Where players stand in the sorted set. Expects KEYS[2] zset, KEYS[3] members, KEYS[4] scores, batch.lua,
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

-- Of each player once, at the same place in three lists.
local function place(players, scores, members)
  local olds = in_member and batch_read('HMGET', KEYS[3], players)
  local before = dense and batch_read('ZMSCORE', KEYS[2], members)
  local ranked, named, gone, distinct = {}, {}, {}, {}
  for n, member in ipairs(members) do
    ranked[2 * n - 1], ranked[2 * n] = scores[n], member
    if in_member then named[2 * n - 1], named[2 * n] = players[n], member end
    if olds and olds[n] and olds[n] ~= member then gone[#gone + 1] = olds[n] end
    if dense then distinct[2 * n - 1], distinct[2 * n] = scores[n], as_text(scores[n]) end
  end
  batch_write('ZADD', KEYS[2], ranked)
  batch_write('HSET', KEYS[3], named)
  batch_write('ZREM', KEYS[2], gone)
  batch_write('ZADD', KEYS[4], distinct)
  for _, score in ipairs(before or {}) do drop_score(score) end
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
