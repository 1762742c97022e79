-- Every script opens with this: nothing is read or written under another generation than the caller's.
-- KEYS[1] the family's generation · ARGV[1] the generation the caller knows
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return redis.error_reply('STALE another generation')
end
