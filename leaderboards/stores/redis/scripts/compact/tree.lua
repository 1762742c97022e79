-- The rows of a compact family: players by number, in order of score and number, in a tree of texts in one hash.
-- Expects KEYS[2] tree.
-- A leaf has 13 bytes for each row: score, number. An inner node has its children: their ids (4 bytes each), then how many
-- rows each has (4 bytes), then the least score and number of each (13 bytes; of the first it is not looked at).
-- Field '' has the root, `head` the height and the last id that was given to a node. Numbers in texts are big-endian.
local decode = struct.unpack
local height, last_id, nodes = nil, nil, {}

local function root()
  if not height then
    local found = redis.call('HMGET', KEYS[2], 'head', '')
    height, last_id, nodes[''] = 0, 0, found[2] or ''
    if found[1] then height, last_id = decode('>BI4', found[1]) end
  end
  return nodes['']
end

local function node(id)
  local text = nodes[id]
  if not text then
    text = redis.call('HGET', KEYS[2], id)
    nodes[id] = text
  end
  return text
end

-- The last child whose least row is not behind score and number.
local function child_at(text, score, number)
  local low, high = 1, #text / 21
  local start = 8 * high - 12
  while low < high do
    local middle = (low + high + 1) / 2
    middle = middle - middle % 1
    local s, n = decode('>dI5', text, start + 13 * middle)
    if s < score or (s == score and n <= number) then low = middle else high = middle - 1 end
  end
  return low
end

-- How many rows of a leaf are before score and number.
local function place_in(text, score, number)
  local low, high = 0, #text / 13
  while low < high do
    local middle = (low + high) / 2
    middle = middle - middle % 1
    local s, n = decode('>dI5', text, 13 * middle + 1)
    if s < score or (s == score and n < number) then low = middle + 1 else high = middle end
  end
  return low
end

-- How many rows the first children have together.
local function rows_of(text, children)
  local total, start = 0, 4 * #text / 21 - 3
  for at = 1, children - 7, 8 do
    local a, b, c, d, e, f, g, h = decode('>I4I4I4I4I4I4I4I4', text, start + 4 * at)
    total = total + a + b + c + d + e + f + g + h
  end
  for at = children - children % 8 + 1, children do total = total + decode('>I4', text, start + 4 * at) end
  return total
end

-- How many rows are before score and number, from the least.
local function rows_up_to(score, number)
  local text, before = root(), 0
  for _ = 1, height do
    local nth = child_at(text, score, number)
    before = before + rows_of(text, nth - 1)
    text = node(string.sub(text, 4 * nth - 3, 4 * nth))
  end
  return before + place_in(text, score, number)
end
