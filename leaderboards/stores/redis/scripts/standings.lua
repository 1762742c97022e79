-- Unpacks a standing into value and time, and packs them, on boards that Redis decides.
-- Expects the locals kind, form, in_member, stores (`stored_state` has `time|value`), unit (2^time bits), lowest.
-- Value and time are numbers if the score packs both, else texts in the right order.
local function value_and_time(score, member, stored_state)
  if form == 'score' then
    local at = score % unit
    return (score - at) / unit + lowest, at
  end
  if not stores then return score + lowest, string.sub(member, 1, 19) end
  local value = string.sub(stored_state, 21)
  return kind == 'text' and value or tonumber(value), string.sub(stored_state, 1, 19)
end

-- For points only: criteria are packed by the caller. Returns score and member.
local function pack(player, value, at)
  if form == 'score' then return (value - lowest) * unit + at, player end
  return value - lowest, in_member and at .. '_' .. player or player
end

local function stored_state_of(value, at)
  return at .. '|' .. (kind == 'text' and value or string.format('%.0f', value))
end
