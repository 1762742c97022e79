-- Lists per player: the value of the entry's id, score, member, stored_state.
-- Expects KEYS[4] stored_state, batch.lua and members_and_scores.lua.
local function standings_reply(players, id_values)
  local members, scores = members_and_scores_of(players)
  local stored_state, answer = batch_read('HMGET', KEYS[4], players), {}
  for n, score in ipairs(scores) do
    local at = #answer
    answer[at + 1], answer[at + 2] = id_values[n], score or ''
    answer[at + 3], answer[at + 4] = score and members[n] or '', score and stored_state[n] or ''
  end
  return answer
end
