-- Asks for PATH_PREFIX .. id for each id of a file in turn, with METHOD; settings come from the environment.
local ids = {}
for id in io.lines(os.getenv("BENCH_IDS")) do ids[#ids + 1] = id end
local prefix = os.getenv("BENCH_PREFIX")
local method = os.getenv("BENCH_METHOD") or "GET"
local next_id = tonumber(os.getenv("BENCH_SKIP") or "0")

function request()
  next_id = next_id % #ids + 1
  return wrk.format(method, prefix .. ids[next_id])
end
