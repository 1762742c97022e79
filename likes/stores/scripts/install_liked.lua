#!lua
-- Puts a ranking of a day where none is, whole, if the lease on making it is still the caller's.
-- KEYS    1 ranking  2 load
-- ARGV    1 lease ('' needs none)  2 deadline  3 seconds to keep, then per thing: thing, likes
-- returns 1 if it is there now by this call, else 0
--! include deadline.lua
if ARGV[1] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
if redis.call('ZADD', KEYS[1], 'NX', 0, '') == 0 then return 0 end
for i = 4, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[i + 1], ARGV[i]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
