#!lua flags=allow-oom
-- Notes that something was changed now, by this server's clock.
-- KEYS    1 changed
-- ARGV    1 for how many seconds it is kept
local now = redis.call('TIME')
redis.call('SET', KEYS[1], now[1] * 1000 + math.floor(now[2] / 1000), 'EX', ARGV[1])
