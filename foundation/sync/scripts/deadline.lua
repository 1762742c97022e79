-- Refuses a write whose caller no longer waits for it.
-- ARGV[2] milliseconds since 1970 by this server's clock
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[2]) then
  return redis.error_reply('LATE the deadline is past')
end
