-- One command for many: `batch_write` writes a list behind a key, `batch_read` gives all answers in one list.
-- A thousand to a call, an even number: Lua's stack holds no more than 8,000.
local function batch_write(command, key, list)
  for first = 1, #list, 1000 do
    redis.call(command, key, unpack(list, first, math.min(first + 999, #list)))
  end
end

local function batch_read(command, key, list)
  local answers = {}
  for first = 1, #list, 1000 do
    local found = redis.call(command, key, unpack(list, first, math.min(first + 999, #list)))
    if #list <= 1000 then return found end
    for n, answer in ipairs(found) do answers[first + n - 1] = answer end
  end
  return answers
end
