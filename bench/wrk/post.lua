-- Posts the body that stands in the file BENCH_BODY; "{n}" in it becomes another number with each request.
local body = io.open(os.getenv("BENCH_BODY")):read("*a")
local n = tonumber(os.getenv("BENCH_SKIP") or "0")
local parts = {}
for part in (body .. "{n}"):gmatch("(.-){n}") do parts[#parts + 1] = part end
wrk.method = "POST"
wrk.body = body

if #parts > 1 then
  function request()
    n = (n + 1) % 5000
    return wrk.format(nil, nil, nil, table.concat(parts, tostring(n)))
  end
end
