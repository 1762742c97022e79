#!lua
-- Restores the stored state beside a score that is the same in SQL, if the standing has not changed since.
-- KEYS    1 gen  2 zset  3 members  4 stored_state  5 dirty
-- ARGV    1 generation  2 in_member (1 or 0)  3 player  4 the score compared  5 stored_state
-- returns 1, or 0 if the player has another score or is dirty
--! include guard.lua
local member = ARGV[3]
if ARGV[2] == '1' then member = redis.call('HGET', KEYS[3], ARGV[3]) end
local score = member and redis.call('ZSCORE', KEYS[2], member)
if not score or tonumber(score) ~= tonumber(ARGV[4]) or redis.call('HEXISTS', KEYS[5], ARGV[3]) == 1 then return 0 end
redis.call('HSET', KEYS[4], ARGV[3], ARGV[5])
return 1
