#!lua flags=allow-oom
-- Drops cache versions, so that readers ask SQL and set new ones. A blocked one ('') stays until it expires.
-- KEYS    cache versions
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= '' then redis.call('DEL', key) end
end
