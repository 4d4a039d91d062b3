-- Presents each key of the file BENCH_KEYS in turn: as a question to POST, in Authorization of a GET, or there alone
-- where BENCH_ASKED is "door".
local keys = {}
for key in io.lines(os.getenv("BENCH_KEYS")) do keys[#keys + 1] = key end
local asked = os.getenv("BENCH_ASKED")
local credential = os.getenv("BENCH_CREDENTIAL")
local next_key = 0

function request()
  next_key = next_key % #keys + 1
  if asked == "verify" then
    local body = '{"key":"' .. keys[next_key] .. '","api_id":"weather"}'
    return wrk.format("POST", nil, { ["Authorization"] = credential, ["Content-Type"] = "application/json" }, body)
  end
  if asked == "door" then return wrk.format("GET", nil, { ["Authorization"] = keys[next_key] }) end
  return wrk.format("GET", nil, { ["X-Keydesk-Authorization"] = credential, ["Authorization"] = keys[next_key] })
end
