-- Verifies each key of the file BENCH_KEYS in turn. Each connection waits BENCH_DELAY milliseconds between two calls,
-- at random up to twice as long: connections that began at once would else go on calling at once.
-- Tells at the end, in microseconds, percentiles of the time from call to answer.
local keys = {}
for key in io.lines(os.getenv("BENCH_KEYS")) do keys[#keys + 1] = key end
local headers = { ["Authorization"] = os.getenv("BENCH_CREDENTIAL"), ["Content-Type"] = "application/json" }
local wait = tonumber(os.getenv("BENCH_DELAY"))
local next_key = 0

function delay()
  return math.random(0, 2 * wait)
end

function request()
  next_key = next_key % #keys + 1
  return wrk.format("POST", nil, headers, '{"key":"' .. keys[next_key] .. '","api_id":"weather"}')
end

function done(_, latency)
  for _, part in ipairs({ 50, 95, 99, 99.9 }) do
    print("percentile " .. part .. " " .. latency:percentile(part))
  end
end
