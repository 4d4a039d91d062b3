/**
 * A connection that dies between COMMIT and its answer: the call is done once, and its answer
 * reaches the caller.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type CutProxy, cutProxy, type Loss } from "../../support/cut-proxy.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import {
  approvalOf,
  create,
  pathOf,
  read,
  REQUESTS,
  smallRequest,
} from "../../support/key-requests.ts";
import { KEYS } from "../../support/keys.ts";
import { readLedger } from "../../support/ledger.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { makeKnown, outcome } from "../../support/verification.ts";
import { rawSql } from "../conformance/scratch.ts";

/** A desk whose database is reached through a proxy. */
function behindProxy(
  promise: string,
  test: (desk: TestDesk, proxy: CutProxy) => Promise<void>,
  environment: Record<string, string> = {},
): void {
  Deno.test({
    name: `postgres: ${promise}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const url = await createMigrated();
      await using proxy = cutProxy(url);
      await using desk = await openTestDesk("sqlite", {
        environment: {
          KEYDESK_DATABASE_URL: proxy.through(url),
          KEYDESK_SEALING_KEY: newSealingKey().trim(),
          ...environment,
        },
      });
      await test(desk, proxy);
    },
  });
}

const givenUp = rawSql<{ id: string }>("select id from commits where kept = 0");

/** Sends a call whose commit is lost so, and asserts that it succeeds as if nothing had been. */
async function survives(
  { desk, proxy, loss }: { desk: TestDesk; proxy: CutProxy; loss: Loss },
  method: string,
  path: string,
  init: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const before = proxy.losses();
  proxy.loseNext(loss);
  const sent = desk.send(method, path, init);
  if (loss === "late") {
    // The old transaction is asked to commit when it has been given up already: it must not.
    const { reader } = desk.app.ctx.storage;
    await eventually(
      "the old transaction is given up",
      async () => (await reader.rows(givenUp, {})).length > 0,
    );
    const answer = await proxy.deliverLate();
    assert.match(answer, /commits_key|terminating/, "the late commit is refused");
  }
  const response = await sent;
  const answer = await response.json();
  assert.equal(proxy.losses(), before + 1, "a commit was lost");
  assert.equal(response.status, 200, `${method} ${path} (${loss}): ${JSON.stringify(answer)}`);
  return answer;
}

for (const loss of ["answer", "commit"] as const) {
  behindProxy(
    `create, update, approve, revoke, delete survive a lost ${loss}`,
    async (desk, proxy) => {
      const at = { desk, proxy, loss };
      await makeKnown(desk, ["plan-weather"]);
      const { Message: id } = await survives(at, "POST", REQUESTS, { body: smallRequest() });
      await survives(at, "UPDATE", pathOf(id), { body: smallRequest({ version: "v9" }) });
      assert.equal((await read(desk, id)).version, "v9");
      const { RawKey } = await survives(at, "PUT", approvalOf(id));
      assert.equal(await outcome(desk, RawKey), "valid");
      const again = await desk.send("PUT", approvalOf(id));
      assert.equal((await again.json()).Message, "Key request has already been processed.");

      const ledger = await readLedger(desk.app.ctx.storage.reader);
      assert.deepEqual([...ledger.keysOf], [[id, [sha256(RawKey)]]]);
      const created = ledger.audit.filter((row) => row.startsWith("key_request.created"));
      assert.deepEqual(created, [`key_request.created ${id}`]);

      await survives(at, "POST", `${KEYS}/${sha256(RawKey)}/revoke`, { body: { reason: "lost" } });
      await eventually(
        "the revocation is heeded",
        async () => await outcome(desk, RawKey) === "revoked",
      );
      await survives(at, "DELETE", pathOf(id));
      assert.equal((await desk.send("GET", pathOf(id))).status, 404);
    },
  );

  behindProxy(`an approval with Idempotency-Key survives a lost ${loss}`, async (desk, proxy) => {
    await makeKnown(desk, ["plan-weather"]);
    const id = await create(desk, smallRequest());
    const headers = { "idempotency-key": "key-of-an-approval" };
    const first = await survives({ desk, proxy, loss }, "PUT", approvalOf(id), { headers });
    const again = await desk.send("PUT", approvalOf(id), { headers });
    assert.deepEqual(await again.json(), first);
    assert.equal(await outcome(desk, first.RawKey), "valid");
    assert.equal((await readLedger(desk.app.ctx.storage.reader)).keysOf.size, 1);
  });
}

behindProxy(
  "a commit that arrives after it was given up is refused, and the repeated one counts",
  async (desk, proxy) => {
    await makeKnown(desk, ["plan-weather"]);
    const id = await create(desk, smallRequest());
    const at = { desk, proxy, loss: "late" as const };
    const { RawKey } = await survives(at, "PUT", approvalOf(id));
    assert.equal(await outcome(desk, RawKey), "valid");
    const ledger = await readLedger(desk.app.ctx.storage.reader);
    assert.deepEqual([...ledger.keysOf], [[id, [sha256(RawKey)]]]);
  },
  // The old transaction is to be there still when its commit arrives.
  { KEYDESK_DATABASE_IDLE_MS: "60000", KEYDESK_DATABASE_LOCK_MS: "10000" },
);

behindProxy("what a refused call answers is no matter of the connection", async (desk, proxy) => {
  proxy.loseNext("answer");
  const refused = await desk.send("PUT", approvalOf("0".repeat(24)));
  assert.equal(refused.status, 404);
  assert.equal(proxy.losses(), 0, "nothing was committed");
  const id = await create(desk, smallRequest());
  assert.equal(proxy.losses(), 1);
  assert.equal((await read(desk, id)).id, id);
});

behindProxy(
  "a database that falls silent: 503 in bounded time, then all is well",
  async (desk, proxy) => {
    await makeKnown(desk, ["plan-weather"]);
    const id = await create(desk, smallRequest());
    const { RawKey } = await (await desk.send("PUT", approvalOf(id))).json();
    // A first look on a busy machine may take longer than one may be old.
    await eventually("a first verdict", async () => await outcome(desk, RawKey) === "valid");
    for (const fall of ["silence", "refuse"] as const) {
      proxy[fall]();
      const started = performance.now();
      const answers = await Promise.all([
        desk.send("GET", REQUESTS),
        desk.send("GET", `${REQUESTS}?p=1`),
        desk.send("GET", pathOf(id)),
        desk.send("POST", REQUESTS, { body: smallRequest() }),
        desk.send("PUT", approvalOf(id)),
        desk.send("DELETE", pathOf(id)),
        desk.send("GET", "/v1/keys"),
        desk.send("GET", "/readyz"),
        desk.send("POST", "/v1/keys/verify", { body: { key: "not-in-memory" } }),
      ]);
      const tookMs = performance.now() - started;
      for (const answer of answers) {
        assert.equal(answer.status, 503, `${answer.url} ${await answer.text()}`);
        assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      }
      // By now it is known that nobody is there: the next ones need not find out.
      const nextMs = await leastMs(5, async () => {
        assert.equal((await desk.send("GET", "/readyz")).status, 503);
      });
      assert.ok(fall === "refuse" || 2 * nextMs < tookMs, `${tookMs} ms, then ${nextMs} ms`);
      assert.equal((await desk.send("GET", "/healthz")).status, 200);
      assert.equal((await desk.send("GET", "/livez")).status, 200);
      proxy.restore();
      await eventually(
        "the desk is ready again",
        async () => (await desk.send("GET", "/readyz")).status === 200,
      );
      assert.equal((await desk.send("GET", pathOf(id))).status, 200);
      await create(desk, smallRequest());
    }
  },
  {
    KEYDESK_DATABASE_CONNECT_MS: "2000",
    KEYDESK_DATABASE_STATEMENT_MS: "8000",
    KEYDESK_DATABASE_PATIENCE_MS: "4000",
  },
);

/** How long the shortest of so many runs took: a busy machine lengthens some of them. */
async function leastMs(runs: number, run: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < runs; n++) {
    const started = performance.now();
    await run();
    least = Math.min(least, performance.now() - started);
  }
  return least;
}
