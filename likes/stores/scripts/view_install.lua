#!lua
-- Install a loaded view while the lease is valid. Changes published since the lease began are applied again: the loader
-- may have read SQL before they were committed.
-- KEYS    1 run  2 liked_by  3 likes_count  4 amounts  5 seen  6 seen_at  7 load  8 loaded_by  9 loaded_amounts
-- ARGV    1 identity  2 token  3 when the lease began  4 the view's lifetime in ms  5 how much longer its sets live
-- returns the count, or nothing if the lease was lost
if redis.call('GET', KEYS[7]) ~= ARGV[1] .. ' ' .. ARGV[2] then
  redis.call('UNLINK', KEYS[8], KEYS[9])
  return false
end
--! include view_place.lua
--! include view_total.lua
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
if redis.call('EXISTS', KEYS[8]) == 1 then redis.call('RENAME', KEYS[8], KEYS[2]) end
if redis.call('EXISTS', KEYS[9]) == 1 then redis.call('RENAME', KEYS[9], KEYS[4]) end
local count = total()
for _, player in ipairs(redis.call('ZRANGEBYSCORE', KEYS[6], ARGV[3], '+inf')) do
  local amount, ms = string.match(redis.call('HGET', KEYS[5], player), '^%d+|(%d+)|(%d+)$')
  count = count + place(player, tonumber(amount), ms)
end
redis.call('SET', KEYS[3], count, 'PX', ARGV[4])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4] + ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[4] + ARGV[5])
redis.call('PEXPIRE', KEYS[4], ARGV[4] + ARGV[5])
redis.call('UNLINK', KEYS[7])
return count
