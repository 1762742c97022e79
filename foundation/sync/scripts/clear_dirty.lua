#!lua flags=allow-oom
-- Removes the dirty marks of players that have not changed since the mirror read them.
-- KEYS    1 gen  2 dirty
-- ARGV    1 generation, then per player: player, the version that the mirror copied
-- returns how many players are still dirty
--! include guard.lua
--! include batch.lua
local players, clean = {}, {}
for i = 2, #ARGV, 2 do players[#players + 1] = ARGV[i] end
for n, version in ipairs(batch_read('HMGET', KEYS[2], players)) do
  if version == ARGV[2 * n + 1] then clean[#clean + 1] = players[n] end
end
batch_write('HDEL', KEYS[2], clean)
return redis.call('HLEN', KEYS[2])
