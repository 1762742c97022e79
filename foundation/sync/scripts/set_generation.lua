#!lua flags=allow-oom
-- Gives a family of keys a new generation, and empties it if it cannot be trusted.
-- KEYS    1 gen  2 seq  3 watermark  4… the rest of the family
-- ARGV    1 the new generation  2 deadline  3 empty (1 or 0)  4 the expected generation ('' for none)  5 the expected watermark ('' for none)
-- returns the version counter ('0' for none), or -1 if generation or watermark are not the expected ones
--! include deadline.lua
local function has(key, value) return (redis.call('GET', key) or '') == value end
if not has(KEYS[1], ARGV[4]) or not has(KEYS[3], ARGV[5]) then return -1 end
if ARGV[3] == '1' then
  for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
end
redis.call('SET', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[2]) or '0'
