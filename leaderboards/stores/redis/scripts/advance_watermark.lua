#!lua flags=allow-oom
-- Notes up to where a period's memory has followed SQL.
-- KEYS    1 gen  2 watermark
-- ARGV    1 generation  2 the number of the first transaction of SQL that may be under way
-- returns 1, or 0 under another generation
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
return 1
