#!lua flags=allow-oom
-- Deletes further keys of a family whose memory is lost.
-- KEYS    1 gen  2… the keys
-- ARGV    1 generation
-- returns 1
--! include guard.lua
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
return 1
