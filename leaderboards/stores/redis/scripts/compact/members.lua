-- Where numbers are in a compact family. Expects rows.lua.
--! include numbers.lua
local function score_of(member)
  local score = score_of_number(tonumber(member))
  return score and as_text(score)
end

local function index_of(member, from_greatest)
  local number = tonumber(member)
  local score = score_of_number(number)
  if not score then return false end
  local index = rows_up_to(score, number)
  return from_greatest and count_rows() - 1 - index or index
end
