-- The ids that a redis board has seen. Expects at KEYS[bucket] the bucket of today, behind it that of yesterday.
-- What this call itself has said is remembered at its end, with `keep_ids`; `seen` knows it at once.
local said, ids = {}, {}

local function seen(field, bucket)
  if field == '' then return nil end
  return said[bucket .. field] or redis.call('HGET', KEYS[bucket], field) or redis.call('HGET', KEYS[bucket + 1], field)
end

local function remember(field, proof, bucket)
  if field == '' then return end
  said[bucket .. field] = proof
  ids[#ids + 1] = { key = KEYS[bucket], field = field, proof = proof }
end

local function keep_ids()
  for _, id in ipairs(ids) do
    local key = id.key
    if redis.call('HSET', key, id.field, id.proof) == 1 and redis.call('HLEN', key) == 1 then
      redis.call('EXPIRE', key, 172800)
    end
  end
end
