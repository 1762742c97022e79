-- The scores of a compact family by the players' numbers, in buckets: 10 bytes for each number, its place in the bucket and
-- its score. Expects KEYS[3] numbers, whose name ends with how many numbers a bucket is for, and tree.lua.
local encode, numbers_per_bucket = struct.pack, tonumber(string.match(KEYS[3], '%d+$'))

-- Where a number is in its bucket, or would be, and its score. Of most boards nearly all numbers are there.
local function find_in(text, low)
  local first, last = 0, #text / 10
  local at = low < last and low or last - 1
  while first < last do
    local n, score = decode('>I2d', text, 10 * at + 1)
    if n == low then return at, score end
    if n < low then first = at + 1 else last = at end
    at = (first + last) / 2
    at = at - at % 1
  end
  return first, nil
end

local function bucket_of(number)
  local low = number % numbers_per_bucket
  return encode('>I4', (number - low) / numbers_per_bucket), low
end

local function score_of_number(number)
  local bucket, low = bucket_of(number)
  local text = redis.call('HGET', KEYS[3], bucket)
  if not text then return nil end
  local _, score = find_in(text, low)
  return score
end
