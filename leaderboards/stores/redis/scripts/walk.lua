#!lua flags=allow-oom
-- Reads a range of rows in order, from the least score, to compare them with SQL's in the same order.
-- KEYS    1 gen  2 zset
-- ARGV    1 generation  2 the first row (0 is the least)  3 the last
-- returns per row: member, score
--! include guard.lua
--! include rows.lua
return rows_at(ARGV[2], ARGV[3], false)
