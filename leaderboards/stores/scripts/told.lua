-- Where players stand, behind what is known of their ids. Expects KEYS[4] held, many.lua and spots.lua.
local function told_of(players, proofs)
  local members, scores = spots_of(players)
  local held, answer = ask('HMGET', KEYS[4], players), {}
  for n, score in ipairs(scores) do
    local at = #answer
    answer[at + 1], answer[at + 2] = proofs[n], score or ''
    answer[at + 3], answer[at + 4] = score and members[n] or '', score and held[n] or ''
  end
  return answer
end
