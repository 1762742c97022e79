-- What a player's standing is worth and when it was reached, on boards that Redis decides over.
-- Expects KEYS[2] zset, KEYS[3] members, KEYS[5] held, place.lua, and the locals form, kind, unit (2^time bits), lowest.
-- Returns value, at, score, member; value and at are numbers where the score packs both, else texts that compare as they should.
local function standing(player)
  local member = member_of(player)
  local score = member and redis.call('ZSCORE', KEYS[2], member)
  if not score then return nil end
  if form == 'score' then
    local base = math.floor(tonumber(score) / unit)
    return base + lowest, tonumber(score) - base * unit, score, member
  end
  if form == 'member' and kind ~= 'text' then
    return tonumber(score) + lowest, string.sub(member, 1, 19), score, member
  end
  local kept = redis.call('HGET', KEYS[5], player)
  local value = string.sub(kept, 21)
  if kind ~= 'text' then value = tonumber(value) end
  return value, string.sub(kept, 1, 19), score, member
end
