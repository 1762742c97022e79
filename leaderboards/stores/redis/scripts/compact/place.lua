-- Places players in a compact family and removes them. Expects KEYS[2] tree, KEYS[3] numbers, KEYS[4] levels, batch.lua, and the
-- local dense (distinct scores are kept, as bits: they are whole numbers from 0). Members are the players' numbers.
--! include tree.lua
--! include numbers.lua
--! include change_tree.lua
local function set_level(score, is_used)
  redis.call('SETBIT', KEYS[4], string.format('%.0f', score), is_used and 1 or 0)
end

local function is_used(score)
  local index = rows_up_to(score, 0)
  return rows_up_to(score, 1099511627776) > index
end

-- Lists of equal length; each number occurs once. A score may be false: then the number is taken out.
local function set_members(members, scores)
  local numbers, wanted = {}, {}
  for n, member in ipairs(members) do
    numbers[n], wanted[n] = tonumber(member), scores[n] and tonumber(scores[n])
  end
  local before = set_scores(numbers, wanted)
  for n = 1, dense and #numbers or 0 do
    if wanted[n] then set_level(wanted[n], true) end
  end
  for n = 1, dense and #numbers or 0 do
    if before[n] and before[n] ~= wanted[n] and not is_used(before[n]) then set_level(before[n], false) end
  end
  return before
end

local function place(players, scores, members)
  if #members > 0 then set_members(members, scores) end
end

local function remove(player, member)
  return set_members({ member }, { false })[1] ~= false
end
