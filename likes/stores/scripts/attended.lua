#!lua flags=allow-oom
-- Read one player's bit of several days.
-- KEYS    1… attendance
-- ARGV    1 number of the player
-- returns per key 1 or 0; nothing for a day that Redis does not have
local found = {}
for nth, key in ipairs(KEYS) do
  found[nth] = redis.call('EXISTS', key) == 1 and redis.call('GETBIT', key, ARGV[1])
end
return found
