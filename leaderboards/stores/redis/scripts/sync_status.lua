#!lua flags=allow-oom
-- What a period's memory is, under whatever generation.
-- KEYS    1 gen  2 inflight
-- returns the generation ('' for none), and how many announcements stand
return { redis.call('GET', KEYS[1]) or '', redis.call('HLEN', KEYS[2]) }
