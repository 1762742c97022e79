#!lua flags=allow-oom
-- Raises the version counter of a family to a number that it never had before.
-- KEYS    1 gen  2 seq
-- ARGV    1 generation  2 deadline  3 the number (a greater counter stays)
-- returns 1
--! include guard.lua
--! include deadline.lua
if tonumber(redis.call('GET', KEYS[2]) or '0') < tonumber(ARGV[3]) then redis.call('SET', KEYS[2], ARGV[3]) end
return 1
