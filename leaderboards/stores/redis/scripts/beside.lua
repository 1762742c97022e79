#!lua flags=allow-oom
-- Answers questions about a partition of a period; answers of all partitions are added up, or merged.
-- KEYS    1 gen  2 zset  3 members  4 levels
-- ARGV    1 generation  2 descending (1 or 0)  3 in_member (1 or 0)  4 whether the levels are wanted (1 or 0)
--         then questions (questions.lua)
-- returns the answers as lines of text, and the levels ('' if they are not wanted)
--! include guard.lua
local down, in_member, first_question = ARGV[2] == '1', ARGV[3] == '1', 5
--! include rows.lua
--! include members.lua
--! include places.lua
--! include questions.lua
return { table.concat(lines, '\n'), ARGV[4] == '1' and redis.call('GET', KEYS[4]) or '' }
