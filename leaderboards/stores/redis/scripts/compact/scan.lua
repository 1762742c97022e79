#!lua flags=allow-oom
-- Scans a part of a compact family, to compare it with SQL.
-- KEYS    1 gen  2 zset  3 members
-- ARGV    1 generation  2 cursor ('0' to begin)  3 about how many
-- returns the next cursor ('0' at the end), then per row: member, score
--! include guard.lua
--! include tree.lua
--! include numbers.lua
--! include damage.lua
refuse_half()
local reply = redis.call('HSCAN', KEYS[3], ARGV[2], 'COUNT', math.ceil(ARGV[3] / numbers_per_bucket))
local answer = { reply[1] }
for i = 1, #reply[2], 2 do
  local first, text = decode('>I4', reply[2][i]) * numbers_per_bucket, reply[2][i + 1]
  for at = 1, #text, 10 do
    local low, score = decode('>I2d', text, at)
    answer[#answer + 1], answer[#answer + 2] = string.format('%012.0f', first + low), string.format('%.17g', score)
  end
end
return answer
