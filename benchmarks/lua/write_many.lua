-- Nakama's own API takes one score a request. This is how its runtime takes many: one call, one write after the other.
local nk = require("nakama")

local function write_many(context, payload)
   local entries = nk.json_decode(payload).entries
   for _, entry in ipairs(entries) do
      nk.leaderboard_record_write(entry.board, entry.player, nil, entry.points)
   end
   return nk.json_encode({ written = #entries })
end

nk.register_rpc(write_many, "write_many")
