/**
 * A server that is killed while a file is applied: all that the file declares is there, or nothing
 * of it.
 */
import assert from "node:assert/strict";
import { effort } from "../../support/effort.ts";
import { type ServerProcess, startServerProcess } from "../../support/processes.ts";
import { testOnStores } from "../../support/unopened-stores.ts";

const KILLS = 5 * effort;
const PLANS = 300;

/** A file that sets the rate of every plan to `n`. */
const declared = (n: number) => ({
  config: {
    plans: Array.from({ length: PLANS }, (_, i) => ({ name: `Plan ${i}`, rate: n, per: 1 })),
  },
  source: "plans.yaml",
});

async function ratesAt(server: ServerProcess): Promise<Set<number>> {
  const { status, body } = await server.send("GET", "/v1/config");
  assert.equal(status, 200);
  const { plans = [] } = body as { plans?: { rate: number }[] };
  assert.ok(plans.length === 0 || plans.length === PLANS, `${plans.length} plans`);
  return new Set(plans.map(({ rate }) => rate));
}

testOnStores("a file is applied whole or not at all, however its server dies", async (store) => {
  const dataDir = store.settings.KEYDESK_DATA_DIR ?? "";
  const start = () => startServerProcess({ dataDir, environment: { ...store.settings } });
  let server = await start();
  const begun = performance.now();
  assert.equal((await server.send("POST", "/v1/config/apply", { body: declared(1) })).status, 200);
  let acknowledged = 1;
  const tookMs = performance.now() - begun;
  for (let n = 2; n < KILLS + 2; n++) {
    // At another moment each time, from the first to the last of it.
    const death = new Promise((resolve) => setTimeout(resolve, tookMs * (n - 2) / KILLS));
    const applied = server.send("POST", "/v1/config/apply", { body: declared(n) })
      .then(({ status }) => status === 200, () => false);
    await death;
    server.kill("SIGKILL");
    const isAcknowledged = await applied;
    await server.ended;
    await server[Symbol.asyncDispose]();
    server = await start();
    const [rate, ...others] = await ratesAt(server);
    assert.deepEqual(others, [], "all or nothing");
    assert.ok(rate === n || rate === acknowledged && !isAcknowledged, `${rate} of ${n}`);
    acknowledged = rate ?? 0;
  }
  await server[Symbol.asyncDispose]();
});
