#!lua flags=allow-oom
-- Removes players that SQL does not know from a period that Redis decides, with their dirty marks: the mirror copies nothing.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  6 dirty  then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)  5… players
-- returns 1
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include batch.lua
--! include place.lua
for i = 5, #ARGV do
  remove(ARGV[i])
  redis.call('HDEL', KEYS[5], ARGV[i])
  redis.call('HDEL', KEYS[6], ARGV[i])
end
return 1
