-- Returns the members of players ('' for none) and their scores (false if not ranked).
-- Expects KEYS[2] zset, KEYS[3] members, batch.lua, and the local in_member (the member carries the time).
local function members_and_scores_of(players)
  local members = in_member and batch_read('HMGET', KEYS[3], players) or players
  for n = 1, in_member and #members or 0 do members[n] = members[n] or '' end
  return members, batch_read('ZMSCORE', KEYS[2], members)
end
