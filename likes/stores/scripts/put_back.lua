#!lua
-- Put a like back that SQL has and Redis lost. A like that was taken back and is not mirrored yet has a dirty mark.
-- KEYS    1 gen  2 dirty  3 liked_by  4 likes_count  5 amounts
-- ARGV    1 generation  2 deadline  3 repeatable (1 or 0)  4 thing  5 player  6 how often  7 when, in ms
-- returns 1, or 0 if the like exists or is dirty
--! include guard.lua
--! include deadline.lua
local repeatable = ARGV[3] == '1'
--! include state.lua
local own = state(KEYS[3], KEYS[5], ARGV[5])
if own > 0 or redis.call('HEXISTS', KEYS[2], ARGV[4] .. '\n' .. ARGV[5]) == 1 then return 0 end
own = repeatable and tonumber(redis.call('HGET', KEYS[5], ARGV[5]) or '0') or 0 -- what the count includes
become(KEYS[3], KEYS[4], KEYS[5], ARGV[5], own, tonumber(ARGV[6]), ARGV[7])
return 1
