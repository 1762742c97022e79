-- Where members are in a family. Expects KEYS[2] zset. Of compact families `compact/members.lua` is included in its place.
local function score_of(member)
  return redis.call('ZSCORE', KEYS[2], member)
end

local function index_of(member, from_greatest)
  return redis.call(from_greatest and 'ZREVRANK' or 'ZRANK', KEYS[2], member)
end
