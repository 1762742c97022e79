-- The ids that a redis board has counted. KEYS[bucket] is the bucket of today, KEYS[bucket + 1] that of yesterday.
-- The value of an id is six bytes of proof of its content, then the period.
-- New ids of this call are collected by `remember_id` and written by `write_ids`; `find_id` finds them at once.
local new_values, new_ids = {}, {}

local function find_id(field, bucket)
  if field == '' then return nil end
  return new_values[bucket .. field] or redis.call('HGET', KEYS[bucket], field) or redis.call('HGET', KEYS[bucket + 1], field)
end

local function remember_id(field, value, bucket)
  if field == '' then return end
  new_values[bucket .. field] = value
  new_ids[#new_ids + 1] = { key = KEYS[bucket], yesterday = KEYS[bucket + 1], field = field, value = value }
end

-- Expects deadline.lua. Within a minute of midnight ids go to both buckets, since another call may still have the day before.
local function write_ids()
  if (time[1] + 60) % 86400 < 120 then
    for n = 1, #new_ids do
      local id = new_ids[n]
      new_ids[#new_ids + 1] = { key = id.yesterday, field = id.field, value = id.value }
    end
  end
  for _, id in ipairs(new_ids) do
    local key = id.key
    if redis.call('HSET', key, id.field, id.value) == 1 and redis.call('HLEN', key) == 1 then
      redis.call('EXPIRE', key, 172800)
    end
  end
end
