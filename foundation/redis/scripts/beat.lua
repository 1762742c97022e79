#!lua flags=allow-oom
-- Counts one up, by which who counted knows what a replica has heard of. The number only grows within a series.
-- KEYS    1 beat
-- ARGV    1 the identity of the server  2 a name that no series had  3 ms after which the key is deleted, unless it is
--         written again
-- returns the beat: the number, the name of its series, and the identity
local number, series, identity = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%S+) (%S+)$')
if identity ~= ARGV[1] then
  number, series = 0, ARGV[2]
end
local beat = string.format('%.0f %s %s', number + 1, series, ARGV[1])
redis.call('SET', KEYS[1], beat, 'PX', ARGV[3])
return beat
