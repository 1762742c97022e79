#!lua flags=allow-oom
-- Reads a period's sync status under any generation.
-- KEYS    1 gen  2 inflight
-- returns the generation ('' for none), and the number of open announcements
return { redis.call('GET', KEYS[1]) or '', redis.call('HLEN', KEYS[2]) }
