import assert from "node:assert/strict";
import { collectorOf, watchCollector, whyUnreachable } from "../../src/kernel/collector.ts";
import { Problems } from "../../src/kernel/problems.ts";

Deno.test("collector: none where the launcher names none", () => {
  assert.equal(collectorOf({}), undefined);
  assert.equal(collectorOf({ KEYDESK_COLLECTOR: "" }), undefined);
  assert.equal(collectorOf({ KEYDESK_COLLECTOR: "localhost:4318" }), "localhost:4318");
});

Deno.test("collector: one that takes connections is reached, by name and by address", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  assert.equal(await whyUnreachable(`127.0.0.1:${port}`), undefined);
  assert.equal(await whyUnreachable(`localhost:${port}`), undefined);
  assert.match(await whyUnreachable("[::1]:1") ?? "", /^no connection to \[::1\]:1: /);
  assert.match(
    await whyUnreachable("no-such-host.invalid:4318") ?? "",
    /^no connection to no-such/,
  );
});

Deno.test("collector: away is one problem, however often it is tried, and ends when it is back", async () => {
  const told: string[] = [];
  const problems = new Problems({ now: () => 0 });
  const next = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = resolve;
    return promise;
  };
  let waiting = () => {};
  problems.listen((event, { name, stops }) => {
    told.push(`${event} ${name} ${stops}`);
    waiting();
  });
  const { port } = listenAnywhere();
  const begun = next();
  const watch = watchCollector(`127.0.0.1:${port}`, problems, 1);
  await begun;
  // Each try that is over has been told of by now.
  for (let tries = 0; tries < 20; tries++) await whyUnreachable(`127.0.0.1:${port}`);
  const ended = next();
  using _listener = Deno.listen({ hostname: "127.0.0.1", port });
  // Keeps the process alive, as the watch does not.
  const alive = setInterval(() => {}, 1000);
  await ended;
  clearInterval(alive);
  watch.stop();
  assert.deepEqual(told, [
    "begins collector_unreachable nothing",
    "ends collector_unreachable nothing",
  ]);
});

/** A port that was free a moment ago. */
function listenAnywhere(): { port: number } {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return { port: listener.addr.port };
}
