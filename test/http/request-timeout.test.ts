/** What a caller's `X-Request-Timeout` ends, on an engine that sets calls no deadline by itself. */
import assert from "node:assert/strict";
import { defineTransaction } from "../../src/storage/storage.ts";
import { openTestDesk } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import { listIds, REQUESTS, smallRequest } from "../support/key-requests.ts";

Deno.test("a caller's timeout: 503 while the writer is busy, which says that the outcome is unknown", async () => {
  const gate = Promise.withResolvers<void>();
  const block = defineTransaction("test.block", async (_, _input: null) => await gate.promise);
  await using desk = await openTestDesk("sqlite", { extra: [block] });
  assert.deepEqual(await listIds(desk), []);
  const blocking = desk.app.ctx.storage.commit(block, null);
  const headers = { "x-request-timeout": "3" };
  const answer = await desk.send("POST", REQUESTS, { body: smallRequest(), headers })
    .finally(() => gate.resolve());
  const text = await answer.text();
  assert.equal(answer.status, 503, text);
  assert.match(text, /cannot tell in time whether this was done/);
  assert.ok(answer.headers.get("retry-after"));
  await blocking;
  await eventually("what was handed over is done", async () => (await listIds(desk)).length === 1);
});

Deno.test("a caller's timeout: what is answered in time, and no number of seconds, changes nothing", async () => {
  await using desk = await openTestDesk("sqlite");
  for (const timeout of ["60", "0", "1e3", "5s", "-1", "1000000"]) {
    const headers = { "x-request-timeout": timeout };
    const made = await desk.send("POST", REQUESTS, { body: smallRequest(), headers });
    assert.equal(made.status, 200, timeout);
    await made.body?.cancel();
    const list = await desk.send("GET", REQUESTS, { headers });
    assert.equal((await list.json()).Data.length > 0, true, timeout);
  }
});
