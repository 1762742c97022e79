#!lua
-- Merge SQL's sets of a day into Redis's. Both only grow, so nothing is lost, however often this runs.
-- KEYS    1 visitors  2 attendance  3 scratch
-- ARGV    1 visitors in SQL ('' for none)  2 attendance in SQL ('' for none)  3 seconds to keep
-- returns visitors, their number, attendance, how many attend
if ARGV[1] ~= '' then
  redis.call('SET', KEYS[3], ARGV[1])
  redis.call('PFMERGE', KEYS[1], KEYS[3])
end
if ARGV[2] ~= '' then
  redis.call('SET', KEYS[3], ARGV[2])
  redis.call('BITOP', 'OR', KEYS[2], KEYS[2], KEYS[3])
end
redis.call('DEL', KEYS[3])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
local number = redis.call('PFCOUNT', KEYS[1]) -- before GET: PFCOUNT caches its result in the value
local visitors, present = redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or ''
return {visitors, number, present, redis.call('BITCOUNT', KEYS[2])}
