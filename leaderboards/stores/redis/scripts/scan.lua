#!lua flags=allow-oom
-- Scans a part of a period, to compare it with SQL.
-- KEYS    1 gen  2 zset  3 members
-- ARGV    1 generation  2 cursor ('0' to begin)  3 about how many
-- returns the next cursor ('0' at the end), then per row: member, score
--! include guard.lua
local reply = redis.call('ZSCAN', KEYS[2], ARGV[2], 'COUNT', ARGV[3])
local answer = { reply[1] }
for _, cell in ipairs(reply[2]) do answer[#answer + 1] = cell end
return answer
