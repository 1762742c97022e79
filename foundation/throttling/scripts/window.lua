#!lua flags=allow-oom
-- Count requests in a sliding window, as many as the limit allows. Times are this server's, in microseconds since 1970.
-- KEYS    1 window
-- ARGV    1 limit  2 the window's length in microseconds  3 a token unique to this call  4 fewer than so many are not counted
--         5 how many requests ask
-- returns how many are allowed, how many more would be now, ms until the next one will be (0: now)
local limit, length = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local at = string.format('%.0f', now)
-- Remove entries older than the window, and entries in the future: those remain if the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - length))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. at, '+inf')
local inside = redis.call('ZCARD', KEYS[1])
local allowed = math.max(0, math.min(tonumber(ARGV[5]), limit - inside))
local least = tonumber(ARGV[4])
if allowed < least then allowed = 0 end
if allowed > 0 then
  local places = {}
  for nth = 1, allowed do
    places[2 * nth - 1], places[2 * nth] = at, at .. ':' .. ARGV[3] .. nth
  end
  redis.call('ZADD', KEYS[1], unpack(places))
  redis.call('PEXPIRE', KEYS[1], math.ceil(length / 1000))
  inside = inside + allowed
end
if allowed > 0 and inside < limit then return {allowed, limit - inside, 0} end
-- Wait until enough have expired; if the limit was lowered, the window may hold more than the limit.
local last = inside - limit + (allowed > 0 and 0 or least - 1)
local leaves = redis.call('ZRANGE', KEYS[1], last, last, 'WITHSCORES')[2]
return {allowed, math.max(0, limit - inside), math.ceil((tonumber(leaves) + length - now) / 1000)}
