#!lua flags=allow-oom
-- Read the dirty likes: those that SQL does not have yet.
-- KEYS    1 gen  2 dirty
-- ARGV    1 generation  2 about how many
-- returns how many likes are dirty, then per like: field, value
--! include guard.lua
local answer = { redis.call('HLEN', KEYS[2]) }
for _, cell in ipairs(redis.call('HSCAN', KEYS[2], 0, 'COUNT', ARGV[2])[2]) do answer[#answer + 1] = cell end
return answer
