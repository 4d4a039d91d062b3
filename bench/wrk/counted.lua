-- Asks for the path with another number behind it each time, and none that an earlier run of this day asked for.
local n = os.time() % 86400 * 20000

function request()
  n = n + 1
  return wrk.format(nil, wrk.path .. string.format("%d", n))
end
