#!lua
-- Mark a like dirty, so that the mirror copies it again; only if its amount is still what the caller compared.
-- KEYS    1 gen  2 seq  3 dirty  4 liked_by  5 amounts
-- ARGV    1 generation  2 deadline  3 repeatable (1 or 0)  4 thing  5 player  6 the compared amount ('*' for any)  7 time in ms, if the player does not like it
-- returns 1, or 0 if the amount is different or the like is dirty already
--! include guard.lua
--! include deadline.lua
local repeatable = ARGV[3] == '1'
--! include state.lua
local field = ARGV[4] .. '\n' .. ARGV[5]
local own, at = state(KEYS[4], KEYS[5], ARGV[5])
if ARGV[6] ~= '*' and (own ~= tonumber(ARGV[6]) or redis.call('HEXISTS', KEYS[3], field) == 1) then return 0 end
local version = string.format('%.0f', redis.call('INCR', KEYS[2]))
redis.call('HSET', KEYS[3], field, version .. '|' .. own .. '|' .. (at or ARGV[7]))
return 1
