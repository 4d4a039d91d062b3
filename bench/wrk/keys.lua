-- Presents the keys of the file BENCH_KEYS in turn: as BENCH_FORM says, in a body of `verify` or in a header.
local keys = {}
for key in io.lines(os.getenv("BENCH_KEYS")) do keys[#keys + 1] = key end
local form = os.getenv("BENCH_FORM")
local path = os.getenv("BENCH_PATH")
local api = os.getenv("BENCH_API")
local headers = { [os.getenv("BENCH_HEADER")] = os.getenv("BENCH_CREDENTIAL") }
local turn = 0

function request()
  turn = turn % #keys + 1
  if form == "verify" then
    return wrk.format("POST", path, headers, '{"key":"' .. keys[turn] .. '","api_id":"' .. api .. '"}')
  end
  headers["Authorization"] = keys[turn]
  return wrk.format("GET", path .. "?api=" .. api, headers)
end
