-- Asks for PREFIX .. id for each id of a file in turn, with METHOD; settings come from the environment. SKIP ids
-- are left out at the beginning, and only each STEP-th is taken, so that several can share a list.
local ids = {}
for id in io.lines(os.getenv("BENCH_IDS")) do ids[#ids + 1] = id end
local prefix = os.getenv("BENCH_PREFIX")
local method = os.getenv("BENCH_METHOD") or "GET"
local next_id = tonumber(os.getenv("BENCH_SKIP") or "0")
local step = tonumber(os.getenv("BENCH_STEP") or "1")

function request()
  local id = ids[next_id % #ids + 1]
  next_id = next_id + step
  return wrk.format(method, prefix .. id)
end
