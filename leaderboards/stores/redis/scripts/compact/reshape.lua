-- Cuts nodes that have become too long, and joins those that have become too short with a neighbour. Expects change_tree.lua.
-- Its functions are made only where they are needed: in most calls none is.
local function new_shape()
  local shape = {}

  local function add_node(text)
    last_id = last_id + 1
    local id = encode('>I4', last_id)
    nodes[id], changed[id] = text, true
    return id
  end

  local function drop_node(id)
    nodes[id], changed[id] = nil, nil
    dropped[#dropped + 1] = id
  end

  -- The children of an inner node: { id, rows, least row } each.
  local function children_of(text)
    local count, children = #text / 21, {}
    for nth = 1, count do
      local rows, least = decode('>I4', text, 4 * count + 4 * nth - 3), 8 * count + 13 * nth
      children[nth] = { string.sub(text, 4 * nth - 3, 4 * nth), rows, string.sub(text, least - 12, least) }
    end
    return children
  end

  local function inner_text(children, first, last)
    local parts, count, rows = {}, last - first + 1, 0
    for n = 1, count do
      local child = children[first + n - 1]
      parts[n], parts[count + n], parts[2 * count + n] = child[1], encode('>I4', child[2]), child[3]
      rows = rows + child[2]
    end
    return table.concat(parts), rows
  end

  -- Cuts a node into as few pieces of equal length as its level allows; the first keeps id and least row.
  local function cut(id, least, level)
    local text, pieces, from = nodes[id], {}, 0
    local own, count = level > 0 and children_of(text), #text / width_at(level)
    local many = math.ceil(count / most_at(level))
    for n = 1, many do
      local to, piece, rows = math.floor(count * n / many), nil, nil
      if own then
        piece, rows = inner_text(own, from + 1, to)
      else
        piece, rows = string.sub(text, 13 * from + 1, 13 * to), to - from
      end
      if n == 1 then
        pieces[1], nodes[id], changed[id] = { id, rows, least }, piece, true
      else
        pieces[n] = { add_node(piece), rows, own and own[from + 1][3] or string.sub(piece, 1, 13) }
      end
      from = to
    end
    return pieces
  end

  -- Puts two neighbours together, into the one that is named last.
  local function join(one, other, id, level)
    local text = node(one) .. node(other)
    if level > 0 then
      local children = children_of(node(one))
      for _, child in ipairs(children_of(node(other))) do children[#children + 1] = child end
      text = inner_text(children, 1, #children)
    end
    nodes[id], changed[id] = text, true
  end

  -- Returns the text of an inner node after its changed children were cut and joined.
  function shape.inner(text, level)
    local before, after, n = children_of(text), {}, 1
    while n <= #before do
      local child, follower = before[n], before[n + 1]
      if not changed[child[1]] then
        after[#after + 1] = child
      else
        local neighbour = follower or after[#after]
        if neighbour and is_short(nodes[child[1]], level - 1) then
          if follower then
            join(child[1], follower[1], follower[1], level - 1)
            follower[3], n = child[3], n + 1
          else
            join(neighbour[1], child[1], neighbour[1], level - 1)
            after[#after] = nil
          end
          drop_node(child[1])
          child = neighbour
        end
        if nodes[child[1]] == '' then
          drop_node(child[1])
        else
          for _, piece in ipairs(cut(child[1], child[3], level - 1)) do after[#after + 1] = piece end
        end
      end
      n = n + 1
    end
    return (inner_text(after, 1, #after))
  end

  -- Lets the tree grow while the root is too long, and shrink while the root has one child.
  function shape.root()
    while true do
      local text = nodes['']
      if #text > width_at(height) * most_at(height) then
        local pieces = cut(add_node(text), string.rep('\0', 13), height)
        nodes[''], height = inner_text(pieces, 1, #pieces), height + 1
      elseif height > 0 and #text == 21 then
        local only = string.sub(text, 1, 4)
        nodes[''], height = node(only), height - 1
        drop_node(only)
      else
        if text == '' then height, last_id = 0, 0 end
        return
      end
    end
  end
  return shape
end
