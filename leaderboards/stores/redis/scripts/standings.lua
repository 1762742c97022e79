-- What a standing is worth and when it was reached, on boards that Redis decides over, and back.
-- Expects the locals kind, form, in_member, holds (Redis keeps `time|value` in `stored_state`), unit (2^time bits), lowest.
-- Value and time are numbers where the score packs both, else texts that compare as they should.
local function value_and_time(score, member, stored_state)
  if form == 'score' then
    local at = score % unit
    return (score - at) / unit + lowest, at
  end
  if not holds then return score + lowest, string.sub(member, 1, 19) end
  local value = string.sub(stored_state, 21)
  return kind == 'text' and value or tonumber(value), string.sub(stored_state, 1, 19)
end

-- Of points: criteria come packed.
local function packed(player, value, at)
  if form == 'score' then return (value - lowest) * unit + at, player end
  return value - lowest, in_member and at .. '_' .. player or player
end

local function held_of(value, at)
  return at .. '|' .. (kind == 'text' and value or string.format('%.0f', value))
end
