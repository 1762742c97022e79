#!lua flags=allow-oom
-- Scans the open announcements.
-- KEYS    1 gen  2 inflight
-- ARGV    1 generation  2 cursor (0 to begin)  3 about how many
-- returns the next cursor (0 at the end), then per player: player, token
--! include guard.lua
local reply = redis.call('HSCAN', KEYS[2], ARGV[2], 'COUNT', ARGV[3])
table.insert(reply[2], 1, reply[1])
return reply[2]
