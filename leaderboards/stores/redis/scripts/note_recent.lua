#!lua
-- Notes what players have submitted, if nobody else has noted anything of them since they were read: all of it, or nothing.
-- KEYS    lists of players, the latest first
-- ARGV    1 how many are kept  2 for how many seconds, then per list: its first row when it was read ('' for none), how many rows follow,
--         and those rows, the earliest first
-- returns 1 if they are noted, 0 if a list is another by now
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
