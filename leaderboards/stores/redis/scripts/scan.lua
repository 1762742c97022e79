#!lua flags=allow-oom
-- A part of a period as it stands: for comparing all of it with SQL, bit by bit.
-- KEYS    1 gen  2 zset
-- ARGV    1 generation  2 cursor ('0' to begin)  3 about how many
-- returns the next cursor ('0' at the end), then per row: member, score
--! include guard.lua
local found = redis.call('ZSCAN', KEYS[2], ARGV[2], 'COUNT', ARGV[3])
local answer = { found[1] }
for _, cell in ipairs(found[2]) do answer[#answer + 1] = cell end
return answer
