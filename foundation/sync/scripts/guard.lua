-- The first lines of every script of a family: refuses a caller whose generation is not the family's.
-- KEYS[1] the family's generation · ARGV[1] the caller's generation
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return redis.error_reply('STALE another generation')
end
