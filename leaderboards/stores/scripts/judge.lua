-- The three policies, as core/policies.py has them. Expects held.lua and the locals policy, kind, form, unit, grows, lowest, highest.
-- Returns the outcome and, if it is U, what to write: value, time, score, member.
local function better(a, b)
  if kind == 'less' then return a < b end
  return a > b
end

local function later(a, b)
  if grows then return a > b end
  return a < b
end

local function add(player, delta, at, member)
  local old, old_at = standing(player)
  local total = (old or 0) + delta
  if total < lowest or total > highest then return 'O' end
  if old and delta == 0 then return 'S' end
  if old and later(old_at, at) then at = old_at end
  if form == 'score' then
    return 'U', total, at, string.format('%.17g', (total - lowest) * unit + at), member
  end
  if form == 'member' then member = at .. '_' .. player end
  return 'U', string.format('%.0f', total), at, string.format('%.17g', total - lowest), member
end

local function judge(player, value, at, score, member)
  if kind ~= 'text' then value = tonumber(value) end
  if form == 'score' then at = tonumber(at) end
  if policy == 'increment' then return add(player, value, at, member) end
  local old, old_at = standing(player)
  local wins
  if not old then
    wins = true
  elseif policy == 'best' then
    wins = better(value, old) or (value == old and later(old_at, at))
  else
    wins = not later(old_at, at) and (value ~= old or at ~= old_at)
  end
  if not wins then return 'S' end
  if kind ~= 'text' then value = string.format('%.0f', value) end
  return 'U', value, at, score, member
end
