-- Returns the members of players, which are their numbers, and their scores (false if not ranked).
-- Expects KEYS[2] tree, KEYS[3] numbers.
--! include tree.lua
--! include numbers.lua
local function members_and_scores_of(players)
  local scores = {}
  for n, player in ipairs(players) do
    local score = score_of_number(tonumber(player))
    scores[n] = score and string.format('%.17g', score) or false
  end
  return players, scores
end
