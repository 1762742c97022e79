-- Places players in the sorted set and removes them. Expects KEYS[2] zset, KEYS[3] members, KEYS[4] scores, batch.lua,
-- and the locals in_member (the member carries the time) and dense (distinct scores are kept).
-- Adds before it removes, so that a server out of memory refuses before anything has changed.
-- The distinct scores are bits if KEYS[4] is named `levels`: then scores are whole numbers from 0 (core/levels.py).
-- If the last key is named `moved` and exists, score ranges follow this family: it notes there where players stood.
local has_levels = dense and string.sub(KEYS[4], -7) == ':levels'
local has_notes = string.sub(KEYS[#KEYS], -6) == ':moved' and redis.call('EXISTS', KEYS[#KEYS]) == 1

local function as_text(score)
  return string.format('%.17g', tonumber(score))
end

local function member_of(player)
  if in_member then return redis.call('HGET', KEYS[3], player) end
  return player
end

-- Only the first place since the ranges have followed is noted: it is the one that they have.
local function note_place(player, member, score)
  if has_notes then redis.call('HSETNX', KEYS[#KEYS], player, score and as_text(score) .. ' ' .. member or '') end
end

local function drop_score(score)
  if dense and score and redis.call('ZCOUNT', KEYS[2], as_text(score), as_text(score)) == 0 then
    if has_levels then
      redis.call('SETBIT', KEYS[4], as_text(score), 0)
    else
      redis.call('ZREM', KEYS[4], as_text(score))
    end
  end
end

-- Three lists of equal length; each player occurs once.
local function place(players, scores, members)
  local old_members = in_member and batch_read('HMGET', KEYS[3], players)
  local old_scores = dense and batch_read('ZMSCORE', KEYS[2], members)
  local zset_cells, member_cells, replaced, distinct = {}, {}, {}, {}
  for n, member in ipairs(members) do
    zset_cells[2 * n - 1], zset_cells[2 * n] = scores[n], member
    if in_member then member_cells[2 * n - 1], member_cells[2 * n] = players[n], member end
    if old_members and old_members[n] and old_members[n] ~= member then replaced[#replaced + 1] = old_members[n] end
    if dense then distinct[2 * n - 1], distinct[2 * n] = scores[n], as_text(scores[n]) end
  end
  for n = 1, has_notes and #players or 0 do
    local old = members[n]
    if in_member then old = old_members[n] end
    note_place(players[n], old, old and redis.call('ZSCORE', KEYS[2], old))
  end
  batch_write('ZADD', KEYS[2], zset_cells)
  batch_write('HSET', KEYS[3], member_cells)
  batch_write('ZREM', KEYS[2], replaced)
  for n = 1, has_levels and #distinct or 0, 2 do redis.call('SETBIT', KEYS[4], distinct[n + 1], 1) end
  batch_write('ZADD', KEYS[4], has_levels and {} or distinct)
  for _, score in ipairs(old_scores or {}) do drop_score(score) end
end

local function remove(player)
  local member = member_of(player)
  local score = member and redis.call('ZSCORE', KEYS[2], member)
  if not score then return false end
  note_place(player, member, score)
  redis.call('ZREM', KEYS[2], member)
  if in_member then redis.call('HDEL', KEYS[3], player) end
  drop_score(score)
  return true
end
