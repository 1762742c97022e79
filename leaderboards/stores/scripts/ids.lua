-- The ids that a redis board has seen. Expects at KEYS[bucket] the bucket of today, behind it that of yesterday.
-- An id has the proof of what it counted for; or that and a 'c', where a later period claimed it: then it counts there.
-- What this call itself has said is remembered at its end, with `keep_ids`; `seen` knows it at once.
local said, ids = {}, {}

local function seen(field, bucket)
  if field == '' then return nil end
  return said[bucket .. field] or redis.call('HGET', KEYS[bucket], field) or redis.call('HGET', KEYS[bucket + 1], field)
end

local function counted(field, bucket)
  local before = seen(field, bucket)
  return before and string.sub(before, 7) == '' and before or nil
end

local function remember(field, proof, bucket)
  if field == '' then return end
  said[bucket .. field] = proof
  ids[#ids + 1] = { key = KEYS[bucket], field = field, proof = proof }
end

-- In both buckets: who is held up looks where today was when he came.
local function claim(field, proof, bucket)
  remember(field, proof .. 'c', bucket)
  ids[#ids + 1] = { key = KEYS[bucket + 1], field = field, proof = proof .. 'c' }
end

local function keep_ids()
  for _, id in ipairs(ids) do
    local key = id.key
    if redis.call('HSET', key, id.field, id.proof) == 1 and redis.call('HLEN', key) == 1 then
      redis.call('EXPIRE', key, 172800)
    end
  end
end
