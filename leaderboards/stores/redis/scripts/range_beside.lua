#!lua flags=allow-oom
-- Answers questions about a score range.
-- KEYS    1 gen  2 range  3 range_head  4 scores (left out: no question is about distinct scores)
-- ARGV    1 generation  2 descending (1 or 0)  3 epoch, then questions (questions.lua)
-- returns the answers as lines of text, its mark, as_of and the sizes of all ranges; nothing if it is not of this epoch, was
--         changed since it was published, or has lost something
--! include guard.lua
local down, in_member, first_question = ARGV[2] == '1', false, 4
--! include rows.lua
--! include members.lua
--! include places.lua
local head = redis.call('HMGET', KEYS[3], 'epoch', 'mark', 'as_of', 'sizes', 'size')
if head[1] ~= ARGV[3] or not head[2] or tonumber(head[5]) ~= count_rows() then return {} end
--! include questions.lua
return { table.concat(lines, '\n'), head[2], head[3] or '0', head[4] }
