#!lua
-- Announces that SQL is deciding the standings of these players; they are published after the commit, or reconciled.
-- An announcement is a token behind those that are still open: row locks put them in the order of the decisions.
-- KEYS    1 gen  2 inflight
-- ARGV    1 generation  2 token, then the players
-- returns 1
--! include guard.lua
--! include batch.lua
local players, cells = {}, {}
for i = 3, #ARGV do players[i - 2] = ARGV[i] end
for n, open in ipairs(batch_read('HMGET', KEYS[2], players)) do
  cells[2 * n - 1], cells[2 * n] = players[n], (open or '') .. ARGV[2]
end
batch_write('HSET', KEYS[2], cells)
return 1
