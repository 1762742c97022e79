#!lua
-- Appends submissions to the lists of players, all or none, if no list has changed since it was read.
-- KEYS    lists of players, the latest first
-- ARGV    1 maximum length  2 time to live in seconds, then per list: its first row when it was read ('' for none), the number of new rows,
--         and those rows, the earliest first
-- returns 1 if they were appended, 0 if a list has changed
local at = 3
for n = 1, #KEYS do
  if (redis.call('LINDEX', KEYS[n], 0) or '') ~= ARGV[at] then return 0 end
  at = at + 2 + tonumber(ARGV[at + 1])
end
at = 3
for n = 1, #KEYS do
  for row = at + 2, at + 1 + tonumber(ARGV[at + 1]) do redis.call('LPUSH', KEYS[n], ARGV[row]) end
  at = at + 2 + tonumber(ARGV[at + 1])
  redis.call('LTRIM', KEYS[n], 0, ARGV[1] - 1)
  redis.call('EXPIRE', KEYS[n], ARGV[2])
end
return 1
