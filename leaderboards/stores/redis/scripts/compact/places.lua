-- Finds places in a compact family. Expects KEYS[4] levels, rows.lua, members.lua and the local down (greater scores are better).
local function better(score)
  if down then return count_between('(' .. score, '+inf') end
  return count_between('-inf', '(' .. score)
end

local function distinct_better(score)
  if down then return redis.call('BITCOUNT', KEYS[4], as_text(score + 1), -1, 'BIT') end
  return tonumber(score) == 0 and 0 or redis.call('BITCOUNT', KEYS[4], 0, as_text(score - 1), 'BIT')
end

-- The number of rows before the place of a number with this score, whether or not it is there. Also whether it is there (1 or 0).
local function rows_before(score, member)
  local number, wanted = tonumber(member), tonumber(score)
  local index, is_there = rows_up_to(wanted, number), score_of_number(number) == wanted and 1 or 0
  return down and count_rows() - index - is_there or index, is_there
end
