#!lua flags=allow-oom
-- Gives a family of keys a new generation, and with it empties memory that is not trusted. Only settling calls it.
-- KEYS    1 gen  2 seq  3… the rest of the family
-- ARGV    1 the new generation  2 empty (1 or 0)  3 the generation that was judged ('' for none)
--         where a mark was judged too: 4 its index in KEYS  5 the mark ('' for none)
--         where its caller gives up early: 6 deadline, in ms since 1970 by this server's clock
-- returns the sequence's value ('0' for none), or -1 where memory is another by now
local time = ARGV[6] and redis.call('TIME')
if time and time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[6]) then
  return redis.error_reply('LATE the deadline is past')
end
local function is(key, judged) return (redis.call('GET', key) or '') == judged end
if not is(KEYS[1], ARGV[3]) or (ARGV[4] and not is(KEYS[tonumber(ARGV[4])], ARGV[5])) then return -1 end
if ARGV[2] == '1' then
  for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
end
redis.call('SET', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[2]) or '0'
