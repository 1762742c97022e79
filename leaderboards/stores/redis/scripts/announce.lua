#!lua
-- Announces that SQL is deciding the standings of these players; they are published after the commit, or reconciled.
-- KEYS    1 gen  2 inflight
-- ARGV    1 generation  2 token, then the players
-- returns 1
--! include guard.lua
--! include batch.lua
local cells = {}
for i = 3, #ARGV do cells[2 * i - 5], cells[2 * i - 4] = ARGV[i], ARGV[2] end
batch_write('HSET', KEYS[2], cells)
return 1
