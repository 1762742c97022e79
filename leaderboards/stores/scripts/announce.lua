#!lua
-- Notes that these players' standings are being decided in SQL: what is committed is published, or reconciled.
-- KEYS    1 gen  2 inflight
-- ARGV    1 generation  2 token  3 only where nobody else has announced (1 or 0), then the players
-- returns the token that stands now, of each player
--! include guard.lua
--! include many.lua
local players, cells = {}, {}
for i = 4, #ARGV do
  players[#players + 1] = ARGV[i]
  cells[#cells + 1], cells[#cells + 2] = ARGV[i], ARGV[2]
end
if ARGV[3] == '1' then
  for _, player in ipairs(players) do redis.call('HSETNX', KEYS[2], player, ARGV[2]) end
else
  tell('HSET', KEYS[2], cells)
end
return ask('HMGET', KEYS[2], players)
