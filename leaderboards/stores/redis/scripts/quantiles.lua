#!lua flags=allow-oom
-- Reads the rows at given shares of the ranking, for percentiles.
-- KEYS    1 gen  2 zset
-- ARGV    1 generation  2 descending (1 or 0), then shares in thousandths, 0 (the best) to 1000 (the last)
-- returns the total, then per share: member, score
--! include guard.lua
--! include rows.lua
local total = count_rows()
local answer = { total }
if total == 0 then return answer end
for i = 3, #ARGV do
  local index = math.min(math.floor(total * ARGV[i] / 1000), total - 1)
  local row = rows_at(index, index, ARGV[2] == '1')
  answer[#answer + 1] = row[1]
  answer[#answer + 1] = row[2]
end
return answer
