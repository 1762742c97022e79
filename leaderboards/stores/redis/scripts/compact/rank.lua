#!lua flags=allow-oom
-- Finds the place of a player in a compact family whose ranks are places.
-- KEYS    1 gen  2 zset  3 members
-- ARGV    1 generation  2 descending (1 or 0)  3 the player's number
-- returns how many stand before, or -1 if the player is not ranked
--! include guard.lua
--! include tree.lua
--! include numbers.lua
local number = tonumber(ARGV[3])
local score = score_of_number(number)
if not score then return -1 end
local before = rows_up_to(score, number)
if ARGV[2] == '0' then return before end
return (height == 0 and #root() / 13 or rows_of(root(), #root() / 21)) - 1 - before
