#!lua flags=allow-oom
-- A part of a period in its own order, from the least score: for comparing all of it with SQL, which sorts alike.
-- KEYS    1 gen  2 zset
-- ARGV    1 generation  2 the first row (0 is the least)  3 the last
-- returns per row: member, score
--! include guard.lua
return redis.call('ZRANGE', KEYS[2], ARGV[2], ARGV[3], 'WITHSCORES')
