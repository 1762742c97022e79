#!lua flags=allow-oom
-- Removes a player from a period that Redis decides.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 stored_state  6 seq  7 dirty  8 closed  then moved, if the period has score ranges
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0)  4 dense (1 or 0)  5 player
-- returns 1 if they were ranked, 0 if not, -1 if the period is closed
--! include guard.lua
--! include deadline.lua
local in_member, dense = ARGV[3] == '1', ARGV[4] == '1'
--! include batch.lua
--! include place.lua
if redis.call('EXISTS', KEYS[8]) == 1 then return -1 end
local member = member_of(ARGV[5])
if not (member and redis.call('ZSCORE', KEYS[2], member)) then return 0 end
redis.call('HSET', KEYS[7], ARGV[5], redis.call('INCR', KEYS[6]))
remove(ARGV[5])
redis.call('HDEL', KEYS[5], ARGV[5])
return 1
