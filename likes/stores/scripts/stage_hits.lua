#!lua flags=allow-oom
-- Stage the hits of a day for a flush, unless that flush has some already.
-- KEYS    1 hits  2 staged hits
-- ARGV    1 flush  2 deadline
-- returns 1 if hits are staged, 0 if there are none
--! include deadline.lua
if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('RENAMENX', KEYS[1], KEYS[2])
