-- Refuses a compact family whose tree and numbers do not fit each other: one of the keys is lost. Without its generation it is
-- filled anew. Expects KEYS[1] gen, KEYS[2] tree, KEYS[3] numbers.
local function refuse_damaged()
  redis.call('DEL', KEYS[1])
  error({ err = 'STALE tree and numbers do not fit each other' })
end

local function refuse_half()
  if redis.call('EXISTS', KEYS[2]) ~= redis.call('EXISTS', KEYS[3]) then refuse_damaged() end
end
