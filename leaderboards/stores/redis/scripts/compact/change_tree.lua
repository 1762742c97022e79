-- Changes rows of a compact family: reads all that it needs, then writes. Expects KEYS[1] gen, tree.lua, numbers.lua, batch.lua.
local LEAF, INNER = 48, 32 -- the most rows of a leaf, and the most children of an inner node
local changed, dropped, shape = {}, {}, nil
--! include damage.lua

local function width_at(level) return level == 0 and 13 or 21 end
local function most_at(level) return level == 0 and LEAF or INNER end
local function is_short(text, level) return #text < width_at(level) * most_at(level) / 4 end
--! include reshape.lua

-- Reads all nodes that the changes lead to, a level at a time. A change notes its way: the child at each level.
local function read_ways(changes)
  root()
  for level = height, 1, -1 do
    local missing, asked = {}, {}
    for n = 1, #changes do
      local change = changes[n]
      local text = nodes[change[4]]
      local nth = child_at(text, change[1], change[2])
      local id = string.sub(text, 4 * nth - 3, 4 * nth)
      change[level + 4], change[4] = nth, id
      if not nodes[id] and not asked[id] then missing[#missing + 1], asked[id] = id, true end
    end
    for n, text in ipairs(batch_read('HMGET', KEYS[2], missing)) do nodes[missing[n]] = text end
  end
end

-- Applies the changes from `first` to `last` to a leaf; they are in order. Returns its new text.
local function change_leaf(text, changes, first, last)
  local parts, at = {}, 1
  for n = first, last do
    local change = changes[n]
    local row, place = encode('>dI5', change[1], change[2]), nil
    if not change[3] then place = string.find(text, row, at, true) end -- as a rule at the start of a row
    if not place or place % 13 ~= 1 then place = 13 * place_in(text, change[1], change[2]) + 1 end
    local is_there = string.sub(text, place, place + 12) == row
    if is_there == change[3] then refuse_damaged() end
    if change[3] then
      parts[#parts + 1] = string.sub(text, at, place - 1) .. row
      at = place
    else
      parts[#parts + 1] = string.sub(text, at, place - 1)
      at = place + 13
    end
  end
  parts[#parts + 1] = string.sub(text, at)
  return table.concat(parts)
end

-- Changes a node. Returns its new text, how many rows it has more, and whether its parent has to cut or join it.
local function change_node(text, level, changes, first, last)
  if level == 0 then
    local new = change_leaf(text, changes, first, last)
    return new, (#new - #text) / 13, #new > 13 * LEAF or (#new < #text and is_short(new, 0))
  end
  local count, parts, at, more, wrong, start = #text / 21, {}, 1, 0, false, first
  while start <= last do
    local nth, stop = changes[start][level + 4], start
    while stop < last and changes[stop + 1][level + 4] == nth do stop = stop + 1 end
    local id = string.sub(text, 4 * nth - 3, 4 * nth)
    local new, added, is_wrong = change_node(nodes[id], level - 1, changes, start, stop)
    nodes[id], changed[id], wrong, start = new, true, wrong or is_wrong, stop + 1
    if added ~= 0 then
      local place = 4 * count + 4 * nth - 3
      parts[#parts + 1] = string.sub(text, at, place - 1)
      parts[#parts + 1] = encode('>I4', decode('>I4', text, place) + added)
      at, more = place + 4, more + added
    end
  end
  if at > 1 then
    parts[#parts + 1] = string.sub(text, at)
    text = table.concat(parts)
  end
  if not wrong then return text, more, false end
  shape = shape or new_shape()
  text = shape.inner(text, level)
  return text, more, #text > 21 * INNER or is_short(text, level)
end

local function is_before(one, other)
  if one[1] ~= other[1] then return one[1] < other[1] end
  return one[2] < other[2]
end

-- Changes are { score, number, whether the row comes (else it goes), '', 0 … }; the rest is the way that each goes.
local function change_tree(changes)
  if #changes > 2 then
    table.sort(changes, is_before)
  elseif #changes == 2 and is_before(changes[2], changes[1]) then
    changes[1], changes[2] = changes[2], changes[1]
  end
  read_ways(changes)
  local before, id, cells = height, last_id, {}
  local text, _, is_wrong = change_node(nodes[''], height, changes, 1, #changes)
  nodes[''], changed[''] = text, true
  if is_wrong then
    shape = shape or new_shape()
    shape.root()
  end
  if nodes[''] == '' then
    redis.call('UNLINK', KEYS[2])
  else
    if height ~= before or last_id ~= id then cells = { 'head', encode('>BI4', height, last_id) } end
    for each in pairs(changed) do cells[#cells + 1], cells[#cells + 2] = each, nodes[each] end
    batch_write('HSET', KEYS[2], cells)
    batch_write('HDEL', KEYS[2], dropped)
  end
  changed, dropped = {}, {}
end

-- Gives numbers, each once, their scores; false takes one out. Returns the scores that they had (false: none).
local function set_scores(numbers, scores)
  local texts, buckets, own, lows = {}, {}, {}, {}
  for n, number in ipairs(numbers) do
    own[n], lows[n] = bucket_of(number)
    if not texts[own[n]] then texts[own[n]], buckets[#buckets + 1] = '', own[n] end
  end
  local found = {}
  for n, text in ipairs(batch_read('HMGET', KEYS[3], buckets)) do
    if text then texts[buckets[n]], found[1] = text, true end
  end
  if root() == '' or not next(found) then refuse_half() end
  local changes, before, of_bucket, cells, empty = {}, {}, {}, {}, {}
  for n, bucket in ipairs(own) do
    local text, score = texts[bucket], scores[n]
    local at, old = find_in(text, lows[n])
    before[n] = old or false
    if before[n] ~= score then
      local record = score and encode('>I2d', lows[n], score) or ''
      texts[bucket] = string.sub(text, 1, 10 * at) .. record .. string.sub(text, 10 * at + (old and 11 or 1))
      of_bucket[bucket] = true
      if old then changes[#changes + 1] = { old, numbers[n], false, '', 0, 0, 0, 0 } end
      if score then changes[#changes + 1] = { score, numbers[n], true, '', 0, 0, 0, 0 } end
    end
  end
  if #changes == 0 then return before end
  change_tree(changes)
  for bucket in pairs(of_bucket) do
    if texts[bucket] == '' then
      empty[#empty + 1] = bucket
    else
      cells[#cells + 1], cells[#cells + 2] = bucket, texts[bucket]
    end
  end
  batch_write('HSET', KEYS[3], cells)
  batch_write('HDEL', KEYS[3], empty)
  return before
end
