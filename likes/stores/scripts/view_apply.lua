#!lua
-- Apply states that SQL has committed to a view; a state older than one applied before is ignored.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts  5 seen  6 seen_at
-- ARGV    1 identity  2 deadline  3 for how many ms changes are remembered  4 how much longer than the count the sets live
--         then per change: version, player, amount, ms since 1970
-- returns the count, and how often the last of the players likes it; nothing without a view
--! include deadline.lua
--! include view_place.lua
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local there = redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('EXISTS', KEYS[3]) == 1
for at = 5, #ARGV, 4 do
  local version, player, amount, ms = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), ARGV[at + 3]
  local seen = redis.call('HGET', KEYS[5], player)
  if not seen or tonumber(string.match(seen, '^%d+')) < tonumber(version) then
    redis.call('HSET', KEYS[5], player, version .. '|' .. amount .. '|' .. ms)
    redis.call('ZADD', KEYS[6], now, player)
    if there then
      local step = place(player, amount, ms)
      if step ~= 0 then redis.call('INCRBY', KEYS[3], step) end
    end
  end
  -- Remove two old entries for each new one, so that the number of entries is bounded by the rate.
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', now - ARGV[3], 'LIMIT', 0, 2)) do
    redis.call('ZREM', KEYS[6], old)
    redis.call('HDEL', KEYS[5], old)
  end
end
redis.call('PEXPIRE', KEYS[5], ARGV[3])
redis.call('PEXPIRE', KEYS[6], ARGV[3])
if not there then return false end
local left = redis.call('PTTL', KEYS[3]) + ARGV[4]
if redis.call('PTTL', KEYS[2]) == -1 then redis.call('PEXPIRE', KEYS[2], left) end
if redis.call('PTTL', KEYS[4]) == -1 then redis.call('PEXPIRE', KEYS[4], left) end
return { tonumber(redis.call('GET', KEYS[3])), own(ARGV[#ARGV - 2]) }
