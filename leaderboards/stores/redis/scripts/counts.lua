#!lua flags=allow-oom
-- Counts the players in ranges of scores, for histograms.
-- KEYS    1 gen  2 zset
-- ARGV    1 generation, then per range: from, to (as ZCOUNT takes them)
-- returns per range the count
--! include guard.lua
--! include rows.lua
local answer = {}
for i = 2, #ARGV, 2 do
  answer[#answer + 1] = count_between(ARGV[i], ARGV[i + 1])
end
return answer
