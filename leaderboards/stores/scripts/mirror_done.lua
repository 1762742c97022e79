-- Takes off the dirty mark where nothing has changed since the mirror read.
-- KEYS    1 gen  2 dirty
-- ARGV    1 generation, then per player: player, the version that SQL has now
-- returns how many players are still dirty
--! include guard.lua
for i = 2, #ARGV, 2 do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[i + 1] then
    redis.call('HDEL', KEYS[2], ARGV[i])
  end
end
return redis.call('HLEN', KEYS[2])
