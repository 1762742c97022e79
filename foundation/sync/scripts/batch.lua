-- One command with many arguments: `batch_write` writes a list to a key, `batch_read` returns all answers as one list.
-- Each call takes 1,000 arguments (an even number, for pairs): Lua's stack holds at most 8,000.
local function batch_write(command, key, list)
  for first = 1, #list, 1000 do
    redis.call(command, key, unpack(list, first, math.min(first + 999, #list)))
  end
end

local function batch_read(command, key, list)
  local answers = {}
  for first = 1, #list, 1000 do
    local part = redis.call(command, key, unpack(list, first, math.min(first + 999, #list)))
    if #list <= 1000 then return part end
    for n, answer in ipairs(part) do answers[first + n - 1] = answer end
  end
  return answers
end
