#!lua flags=allow-oom
-- Gives a family of keys a new generation, and with it empties memory that is not trusted.
-- KEYS    1 gen  2 seq  3 watermark  4… the rest of the family
-- ARGV    1 the new generation  2 deadline  3 empty (1 or 0)  4 the generation that was judged ('' for none)  5 the mark of `watermark` likewise
-- returns the sequence's value ('0' for none), or -1 where memory is another by now
--! include deadline.lua
local function is(key, judged) return (redis.call('GET', key) or '') == judged end
if not is(KEYS[1], ARGV[4]) or not is(KEYS[3], ARGV[5]) then return -1 end
if ARGV[3] == '1' then
  for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
end
redis.call('SET', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[2]) or '0'
