#!lua flags=allow-oom
-- Blocks reads and writes of an existing family, and keeps its data.
-- KEYS    1 gen
-- ARGV    1 a generation that SQL gives to no row
-- returns 1, or 0 if there is no such family
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1
