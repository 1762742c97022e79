-- Whether a command is for the index that has the range, and of the run that may change it. Expects KEYS[3] range_head,
-- ARGV[2] epoch and ARGV[3] fence. With `may_raise` a greater fence will do.
local function is_ours(may_raise)
  local head = redis.call('HMGET', KEYS[3], 'epoch', 'fence')
  if head[1] ~= ARGV[2] then return false end
  return head[2] == ARGV[3] or (may_raise and tonumber(head[2]) < tonumber(ARGV[3]))
end
