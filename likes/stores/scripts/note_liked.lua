#!lua
-- Counts a like in the ranking of its day, or takes one out; a ranking that is not there is made from SQL, never here.
-- KEYS    1 ranking
-- ARGV    1 thing  2 change
-- returns 1 if there is a ranking, else 0
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if tonumber(redis.call('ZINCRBY', KEYS[1], ARGV[2], ARGV[1])) <= 0 then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1
