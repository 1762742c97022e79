#!lua flags=allow-oom
-- Check which keys exist.
-- KEYS    1… any
-- ARGV    none
-- returns per key 1 or 0
local found = {}
for nth, key in ipairs(KEYS) do found[nth] = redis.call('EXISTS', key) end
return found
