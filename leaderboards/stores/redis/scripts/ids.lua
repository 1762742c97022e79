-- The ids that a redis board has seen. Expects at KEYS[bucket] the bucket of today, behind it that of yesterday.
-- An id has six bytes for what it counted for, behind them the period.
-- What this call itself has said is remembered at its end, with `keep_ids`; `seen` knows it at once.
local said, ids = {}, {}

local function seen(field, bucket)
  if field == '' then return nil end
  return said[bucket .. field] or redis.call('HGET', KEYS[bucket], field) or redis.call('HGET', KEYS[bucket + 1], field)
end

local function remember(field, value, bucket)
  if field == '' then return end
  said[bucket .. field] = value
  ids[#ids + 1] = { key = KEYS[bucket], before = KEYS[bucket + 1], field = field, value = value }
end

-- Expects deadline.lua. About the turn of a day in both buckets: who asks beside us may have said today a moment before.
local function keep_ids()
  if (time[1] + 60) % 86400 < 120 then
    for n = 1, #ids do ids[#ids + 1] = { key = ids[n].before, field = ids[n].field, value = ids[n].value } end
  end
  for _, id in ipairs(ids) do
    local key = id.key
    if redis.call('HSET', key, id.field, id.value) == 1 and redis.call('HLEN', key) == 1 then
      redis.call('EXPIRE', key, 172800)
    end
  end
end
