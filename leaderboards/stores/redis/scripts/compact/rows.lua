-- The rows of a compact family. Its members are the players' numbers, with 12 digits.
--! include tree.lua
local BEHIND = 1099511627776 -- greater than every number

local function as_text(score)
  return string.format('%.17g', score)
end

local function count_rows()
  local text = root()
  return height == 0 and #text / 13 or rows_of(text, #text / 21)
end

-- Adds the rows from one index to another, from the least, of a node at a level.
local function add_rows(cells, text, level, first, last)
  if level == 0 then
    for at = math.max(first, 0), math.min(last, #text / 13 - 1) do
      local score, number = decode('>dI5', text, 13 * at + 1)
      cells[#cells + 1], cells[#cells + 2] = string.format('%012.0f', number), as_text(score)
    end
    return
  end
  local count, before = #text / 21, 0
  for nth = 1, count do
    local rows = decode('>I4', text, 4 * count + 4 * nth - 3)
    if before > last then return end
    if before + rows > first then
      add_rows(cells, node(string.sub(text, 4 * nth - 3, 4 * nth)), level - 1, first - before, last - before)
    end
    before = before + rows
  end
end

local function rows_at(first, last, from_greatest)
  local text, cells = root(), {}
  if not from_greatest then
    add_rows(cells, text, height, tonumber(first), tonumber(last))
    return cells
  end
  local total, reversed = count_rows(), {}
  add_rows(cells, text, height, total - 1 - last, total - 1 - first)
  for at = #cells - 1, 1, -2 do reversed[#reversed + 1], reversed[#reversed + 2] = cells[at], cells[at + 1] end
  return reversed
end

-- How many rows are below a bound as ZCOUNT takes it; `upper`: the bound counts itself, where it is no open one.
local function rows_below(bound, upper)
  if bound == '-inf' then return 0 end
  if bound == '+inf' then return count_rows() end
  local is_open = string.sub(bound, 1, 1) == '('
  return rows_up_to(tonumber(is_open and string.sub(bound, 2) or bound), is_open == upper and -1 or BEHIND)
end

local function count_between(from, to)
  return math.max(rows_below(to, true) - rows_below(from, false), 0)
end
