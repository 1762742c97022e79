#!lua flags=allow-oom
-- Lets nobody read or write a family that has memory, and leaves that as it is.
-- KEYS    1 gen
-- ARGV    1 a generation that SQL gives nothing
-- returns 1, or 0 where there is none
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1
