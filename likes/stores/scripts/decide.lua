#!lua
-- Add to a player's likes of a thing, or take some back: the write of the redis storage. If nothing changes, nothing is written.
-- KEYS    1 gen  2 seq  3 dirty  4 liked_by  5 likes_count  6 amounts
-- ARGV    1 generation  2 deadline  3 how many (negative takes back)  4 repeatable (1 or 0)  5 thing  6 player  7 when, in ms
-- returns the likes of the thing, the player's own
--! include guard.lua
--! include deadline.lua
local repeatable = ARGV[4] == '1'
--! include state.lua
local own, at = state(KEYS[4], KEYS[6], ARGV[6])
local wanted = math.max(own + ARGV[3], 0)
if not repeatable then wanted = math.min(wanted, 1) end
if wanted ~= own then
  -- A caller whose clock is behind must not set the time back; taking the last like back sets the time.
  if not at or wanted == 0 or (wanted > own and tonumber(at) < tonumber(ARGV[7])) then at = ARGV[7] end
  -- The mark first, because it needs memory: a full server then fails before anything has changed.
  local version = string.format('%.0f', redis.call('INCR', KEYS[2]))
  redis.call('HSET', KEYS[3], ARGV[5] .. '\n' .. ARGV[6], version .. '|' .. wanted .. '|' .. at)
  become(KEYS[4], KEYS[5], KEYS[6], ARGV[6], own, wanted, at)
end
return { tonumber(redis.call('GET', KEYS[5]) or '0'), wanted }
