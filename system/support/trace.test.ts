import assert from "node:assert/strict";
import { parseTrace } from "./trace.ts";

Deno.test("a trace is read with interrupted calls put together", () => {
  const calls = parseTrace(`
7 fsync(28</data/keydesk.db-wal> <unfinished ...>
5 recvfrom(35<socket:[12]>, "POST / HTTP/1.1"..., 512, 0, NULL, NULL) = 313
7 <... fsync resumed>)                    = 0
5 recvfrom(35<socket:[12]>, 0x55, 512, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)
5 +++ exited with 0 +++
`);
  assert.deepEqual(
    calls.map(({ name, target, result, start, end }) => [name, target, result, start, end]),
    [
      ["fsync", "/data/keydesk.db-wal", 0, 1, 3],
      ["recvfrom", "socket:[12]", 313, 2, 2],
      ["recvfrom", "socket:[12]", -1, 4, 4],
    ],
  );
});
