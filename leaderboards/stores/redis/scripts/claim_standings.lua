#!lua
-- Announces players that have no announcement.
-- KEYS    1 gen  2 inflight
-- ARGV    1 generation  2 token, then the players
-- returns per player 1, or 0 if they have an announcement already
--! include guard.lua
local claimed = {}
for i = 3, #ARGV do claimed[i - 2] = redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[2]) end
return claimed
