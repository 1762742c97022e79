-- The three update policies, as in core/ranking/policies.py: evaluates an entry's value and time against the old ones (nil for none).
-- Expects the locals policy, kind, grows, lowest, highest. Returns the verdict and, if it is U, the new value and time.
local function better(a, b)
  if kind == 'less' then return a < b end
  return a > b
end

local function later(a, b)
  if grows then return a > b end
  return a < b
end

local function add(old, old_at, delta, at)
  local total = (old or 0) + delta
  if total < lowest or total > highest then return 'O' end
  if old and delta == 0 then return 'S' end
  if old and later(old_at, at) then at = old_at end
  return 'U', total, at
end

local function evaluate(old, old_at, value, at)
  if policy == 'increment' then return add(old, old_at, value, at) end
  local wins
  if not old then
    wins = true
  elseif policy == 'best' then
    wins = better(value, old) or (value == old and later(old_at, at))
  else
    wins = not later(old_at, at) and (value ~= old or at ~= old_at)
  end
  if wins then return 'U', value, at end
  return 'S'
end
