#!lua flags=allow-oom
-- Notes that a period has, or has announced, everything of the SQL transactions below a number.
-- KEYS    1 gen  2 watermark
-- ARGV    1 generation  2 the number of the first SQL transaction that may still be open
-- returns 1, or 0 under another generation
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
return 1
