/** How often a call waits for a database that is far away. docs/scaling.md quotes these numbers. */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { approvalOf, create, pathOf, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { addPlan, planRecords } from "../../support/keys.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type SlowProxy, slowProxy } from "../../support/slow-proxy.ts";
import { outcome } from "../../support/verification.ts";

/** There and back: what is asked in one go is on its way long before the first answer. */
const AWAY_MS = 10;
/** The best of so many: credentials are looked up once a second, and background work asks too. */
const TIMES = 6;

/** How many times a call waited for the database; each turn may make ready what it needs first. */
async function waits(
  proxy: SlowProxy,
  prepare: () => Promise<() => Promise<unknown>>,
): Promise<number> {
  let best = Infinity;
  for (let turn = 0; turn < TIMES; turn++) {
    const call = await prepare();
    const before = proxy.roundTrips();
    await call();
    best = Math.min(best, proxy.roundTrips() - before);
  }
  return best;
}

async function succeed(desk: TestDesk, method: string, path: string, body?: unknown) {
  const response = await desk.send(method, path, body === undefined ? {} : { body });
  assert.equal(response.status, 200, `${method} ${path}: ${await response.text()}`);
}

Deno.test({
  name:
    "postgres: no call waits for the database more often than it has questions that follow from answers",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const url = new URL(await createMigrated());
    const proxy = slowProxy(Number(url.port), AWAY_MS);
    url.port = String(proxy.port);
    // One connection: whatever is prepared once is prepared soon.
    const settings = {
      KEYDESK_DATABASE_URL: url.href,
      KEYDESK_DATABASE_POOL: "1",
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
      KEYDESK_PAGE_SIZE: "1",
    };
    await using desk = await openTestDesk("sqlite", { environment: settings, extra: planRecords });
    try {
      await addPlan(desk, "plan-weather");
      const body = smallRequest();
      const id = await create(desk, body);
      const { RawKey } = await (await desk.send("PUT", approvalOf(id))).json();
      const pending = () => create(desk, body);
      const found: Record<string, number> = {};
      const count = async (name: string, call: (id: string) => Promise<unknown>, needs = pending) =>
        void (found[name] = await waits(proxy, async () => {
          const made = await needs();
          return () => call(made);
        }));
      await pending();
      const known = () => Promise.resolve(id);
      await count("read one", (id) => succeed(desk, "GET", pathOf(id)), known);
      await count("page 1", () => succeed(desk, "GET", `${REQUESTS}?p=1`), known);
      await count("page 2", () => succeed(desk, "GET", `${REQUESTS}?p=2`), known);
      await count("create", () => succeed(desk, "POST", REQUESTS, body), known);
      await count("update", (id) => succeed(desk, "PUT", pathOf(id), body));
      await count("approve", (id) => succeed(desk, "PUT", approvalOf(id)));
      await count("delete", (id) => succeed(desk, "DELETE", pathOf(id)));
      await count("server", () => succeed(desk, "GET", "/v1/server"), known);
      await count("verify", async () => assert.equal(await outcome(desk, RawKey), "valid"), known);
      assert.deepEqual(found, {
        "read one": 1,
        "page 1": 1,
        "page 2": 1,
        create: 3,
        // The names that their rows of the audit log keep follow from the request.
        update: 4,
        approve: 5,
        delete: 4,
        // All at once, but for what is asked of nodes: whose they are, the time, and which.
        server: 3,
        verify: 0,
      });
    } finally {
      proxy.stop();
    }
  },
});
