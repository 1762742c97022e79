#!lua flags=allow-oom
-- Lets the versions of a family go on from a number that no earlier memory of it can have reached.
-- KEYS    1 gen  2 seq
-- ARGV    1 generation  2 deadline  3 the number
-- returns 1
--! include guard.lua
--! include deadline.lua
if tonumber(redis.call('GET', KEYS[2]) or '0') < tonumber(ARGV[3]) then redis.call('SET', KEYS[2], ARGV[3]) end
return 1
