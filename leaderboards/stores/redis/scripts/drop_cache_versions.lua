#!lua flags=allow-oom
-- Drops editions, so that readers draw others; one that is shut stays so until that while is over.
-- KEYS    editions
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= '' then redis.call('DEL', key) end
end
