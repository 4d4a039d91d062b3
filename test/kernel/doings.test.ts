/** What the serving thread worked on while it was late. */
import assert from "node:assert/strict";
import { Doings } from "../../src/kernel/metrics/doings.ts";
import { watchLoop } from "../../src/maintenance/metrics/watch.ts";

Deno.test("doings: what goes on, and what has ended since a moment, by name", () => {
  const doings = new Doings();
  doings.begin("exportKeys");
  doings.begin("exportKeys");
  doings.begin("keys.import");
  doings.end("keys.import");
  doings.end("nobody began it");
  assert.deepEqual(doings.since(0), ["exportKeys (2)", "keys.import"]);
  assert.deepEqual(doings.since(performance.now() + 1), ["exportKeys (2)"]);
  doings.end("exportKeys");
  assert.deepEqual(doings.since(performance.now() + 1), ["exportKeys"]);
});

Deno.test("the event loop: held up for longer than 200 ms it tells for how long, and what ran", async () => {
  const doings = new Doings();
  const told = Promise.withResolvers<{ ms: number; ran: string }>();
  const noted: number[] = [];
  const watching = watchLoop(
    (ms) => void noted.push(ms),
    doings,
    (ms, ran) => told.resolve({ ms, ran }),
  );
  doings.begin("exportKeys");
  const until = performance.now() + 500;
  while (performance.now() < until);
  doings.end("exportKeys");
  // The watch keeps nobody alive.
  const alive = setInterval(() => {}, 1000);
  const { ms, ran } = await told.promise;
  clearInterval(alive);
  watching.stop();
  assert.ok(ms > 200);
  assert.equal(ran, "exportKeys");
  assert.ok(noted.some((one) => one > 200));
});
