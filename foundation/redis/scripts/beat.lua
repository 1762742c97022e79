#!lua flags=allow-oom
-- Writes the server's time and identity, by which readers of its replicas know how far these are behind.
-- KEYS    1 beat
-- ARGV    1 the identity of the server  2 ms after which the key is deleted, unless it is written again
-- returns the time, in ms since 1970
local now = redis.call('TIME')
local at = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000))
redis.call('SET', KEYS[1], at .. ' ' .. ARGV[1], 'PX', ARGV[2])
return at
