-- What wrk asks of either side, with fresh values in each request.
--
--   wrk … -s load.lua URL -- METHOD PATH WANTED PLAYERS ENTRIES BODY ENTRY
--
-- PLAYERS names a file of lines: a player, or a player, a tab and their token. {player}, {points} and {id} in PATH and
-- ENTRY are a random player, a random number and an id that was never used; {entries} in BODY is so many of ENTRY.
-- An answer without WANTED is wrong. At the end it prints one line of JSON.
local threads = {}

function setup(thread)
   thread:set("number", #threads)
   threads[#threads + 1] = thread
end

function init(args)
   wrong, asked = 0, 0
   method, path, wanted, entries, body, entry = args[1], args[2], args[3], tonumber(args[5]), args[6], args[7]
   players, tokens = {}, {}
   for line in io.lines(args[4]) do
      local player, token = line:match("^([^\t]+)\t?(.*)$")
      players[#players + 1], tokens[#tokens + 1] = player, token
   end
   math.randomseed(os.time() * 64 + number)
   born = string.format("%x-%d-%x", os.time(), number, math.random(2 ^ 30))
end

local function filled(template, nth)
   asked = asked + 1
   return (template:gsub("{(%l+)}", {
      player = players[nth], points = math.random(0, 999999), id = born .. "-" .. asked,
   }))
end

function request()
   local nth = math.random(#players)
   local headers, sent = {}, nil
   if tokens[nth] ~= "" then headers["Authorization"] = "Bearer " .. tokens[nth] end
   for name, value in pairs(wrk.headers) do headers[name] = value end
   if entries > 0 then
      local made = { filled(entry, nth) }
      for n = 2, entries do made[n] = filled(entry, math.random(#players)) end
      sent = body:gsub("{entries}", (table.concat(made, ","):gsub("%%", "%%%%")))
   end
   return wrk.format(method, filled(path, nth), headers, sent)
end

function response(status, headers, answer)
   if status ~= 200 or not answer:find(wanted, 1, true) then
      wrong = wrong + 1
      first = first or (status .. " " .. answer:sub(1, 300))
   end
end

function done(summary, latency, requests)
   local bad, example = 0, ""
   for _, thread in ipairs(threads) do
      bad = bad + thread:get("wrong")
      example = thread:get("first") or example
   end
   local errors = summary.errors
   print(string.format(
      '{"count":%d,"seconds":%.6f,"p50_ms":%.2f,"p99_ms":%.2f,"bad":%d,"lost":%d,"bytes":%d,"first":"%s"}',
      summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, bad,
      errors.connect + errors.read + errors.write + errors.timeout, summary.bytes, example:gsub('[%c"\\]', " ")))
end
