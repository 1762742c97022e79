#!lua flags=allow-oom
-- Lets requests into a sliding window, as many of them as fit. The time is this server's, in microseconds since 1970.
-- KEYS    1 window
-- ARGV    1 how many requests fit  2 the window's length in microseconds  3 what no other caller of this moment has  4 how many ask
-- returns how many are let in, how many more would fit now, ms until the next one would (0: now)
local limit, length = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local at = string.format('%.0f', now)
-- What left the window; and what lies ahead of a clock that was set back, which would keep somebody out for as long.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - length))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. at, '+inf')
local inside = redis.call('ZCARD', KEYS[1])
local allowed = math.max(0, math.min(tonumber(ARGV[4]), limit - inside))
if allowed > 0 then
  local places = {}
  for nth = 1, allowed do
    places[2 * nth - 1], places[2 * nth] = at, at .. ':' .. ARGV[3] .. nth
  end
  redis.call('ZADD', KEYS[1], unpack(places))
  redis.call('PEXPIRE', KEYS[1], math.ceil(length / 1000))
  inside = inside + allowed
end
if inside < limit then return {allowed, limit - inside, 0} end
-- Where the limit was lowered there may be more inside than fit: the next fits when all of those have left but one.
local leaves = redis.call('ZRANGE', KEYS[1], inside - limit, inside - limit, 'WITHSCORES')[2]
return {allowed, 0, math.ceil((tonumber(leaves) + length - now) / 1000)}
