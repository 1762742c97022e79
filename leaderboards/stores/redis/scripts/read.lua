#!lua flags=allow-oom
-- Answers any number of queries about a period from one moment.
-- KEYS    1 gen  2 zset  3 members  4 scores  5 cache_version
-- ARGV    1 generation  2 descending (1 or 0)  3 ties (first_come|last_come|shared|dense)  4 in_member (1 or 0)
--         5 the cache_version under which the caller cached period and board ('' if they were just read from SQL)
--         6 the digest of the answers that the caller has ('' for no digest)
--         7 how many of the queries, the first ones, the digest covers
--         then queries: 'page', offset, limit | 'around', player, radius | 'gap', 'score member', 'ahead behind after':
--         rows before and behind the gap at (after: 1 or 0) the place that a member with the score has, or would have
-- returns lines of text, which cost less than a list (no member has a line break): the total, then per query its rows:
--         index of the first row (-1 if the player is not ranked), number of rows, then member, score of each row;
--         if ranks are shared, then rank, tied (how many share the rank), ahead (how many are better) of each row.
--         With ARGV[6], the digest comes first. If it is the caller's, `same` comes first instead, and the answers to the
--         queries that it covers are omitted
--! include guard.lua
if ARGV[5] ~= '' and redis.call('GET', KEYS[5]) ~= ARGV[5] then
  return redis.error_reply('STALE another cache_version')
end
local down, ties, in_member = ARGV[2] == '1', ARGV[3], ARGV[4] == '1'
local shares = ties == 'shared' or ties == 'dense'
--! include rows.lua
--! include members.lua
--! include places.lua

local function places_of(cells)
  local places, score, rank, tied, ahead = {}, nil, nil, nil, nil
  for i = 2, #cells, 2 do
    if cells[i] ~= score then
      score = cells[i]
      ahead, tied = better(score), count_between(score, score)
      rank = (ties == 'dense' and distinct_better(score) or ahead) + 1
    end
    local at = #places
    places[at + 1], places[at + 2], places[at + 3] = rank, tied, ahead
  end
  return places
end

-- The first index of a page is returned as the text that was passed: Lua would write a large number with an exponent.
local function page(first, last)
  if last < tonumber(first) then return first, {} end
  return first, rows_at(first, last, down)
end

local function around(player, radius)
  local member = player
  if in_member then member = redis.call('HGET', KEYS[3], player) end
  local index = member and index_of(member, down)
  if not index then return -1, {} end
  if radius == 0 then return index, { member, score_of(member) } end
  return page(math.max(index - radius, 0), index + radius)
end

local function around_gap(place, sizes)
  local score, member = string.match(place, '^(%S+) (.*)$')
  local ahead, behind, after = string.match(sizes, '^(%d+) (%d+) (%d)$')
  local index, is_there = rows_before(score, member)
  if after == '1' then index = index + is_there end
  return page(math.max(index - ahead, 0), index + behind - 1)
end

local lines, covered = { count_rows() }, 1 -- covered: the last line that the digest covers
for i = 8, #ARGV, 3 do
  local size, at, first, cells = tonumber(ARGV[i + 2]), #lines, nil, nil
  if ARGV[i] == 'page' then
    first, cells = page(ARGV[i + 1], ARGV[i + 1] + size - 1)
  elseif ARGV[i] == 'gap' then
    first, cells = around_gap(ARGV[i + 1], ARGV[i + 2])
  else
    first, cells = around(ARGV[i + 1], size)
  end
  lines[at + 1], lines[at + 2] = first, #cells / 2
  if #cells > 0 then lines[at + 3] = table.concat(cells, '\n') end
  if #cells > 0 and shares then lines[at + 4] = table.concat(places_of(cells), '\n') end
  if (i - 5) / 3 == tonumber(ARGV[7]) then covered = #lines end
end
if ARGV[6] == '' then return table.concat(lines, '\n') end
local digest = redis.sha1hex(table.concat(lines, '\n', 2, covered))
if digest ~= ARGV[6] then return digest .. '\n' .. table.concat(lines, '\n') end
lines[covered] = lines[1]
return 'same\n' .. table.concat(lines, '\n', covered)
