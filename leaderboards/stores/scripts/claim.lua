#!lua
-- What is known of entries, as look.lua tells it; and claims each id that is not known for a later period: a request that
-- is held up with the same entry must not count it here any more. Of a period that is closed nothing needs to be claimed.
-- KEYS    1 gen  2 zset  3 members  4 held  5 closed  6… id buckets, in pairs: today's, yesterday's
-- ARGV    1 generation  2 deadline  3 in_member (1 or 0), then per entry: player, id field, id proof, index of its bucket in KEYS
-- returns per entry: id proof ('' if it does not count here), score, member ('' if not ranked), held ('' if nothing)
--! include guard.lua
--! include deadline.lua
local in_member = ARGV[3] == '1'
--! include many.lua
--! include spots.lua
--! include ids.lua
--! include told.lua
local closed, players, proofs = redis.call('EXISTS', KEYS[5]) == 1, {}, {}
for i = 4, #ARGV, 4 do
  local n, bucket = #players + 1, tonumber(ARGV[i + 3])
  players[n], proofs[n] = ARGV[i], counted(ARGV[i + 1], bucket) or ''
  if proofs[n] == '' and not closed then claim(ARGV[i + 1], ARGV[i + 2], bucket) end
end
keep_ids()
return told_of(players, proofs)
