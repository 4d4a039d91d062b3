/**
 * How long a call waits for a database that answers late: one time for all of its questions
 * together.
 */
import assert from "node:assert/strict";
import { lockOwner } from "../../../src/features/keys/issue-key.transactions.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { cutProxy } from "../../support/cut-proxy.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import {
  approvalOf,
  create,
  listIds,
  pathOf,
  REQUESTS,
  smallRequest,
} from "../../support/key-requests.ts";
import { effort } from "../../support/effort.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type SlowProxy, slowProxy } from "../../support/slow-proxy.ts";
import { makeKnown } from "../../support/verification.ts";

const PATIENCE_MS = effort === 1 ? 1000 : 5000;
/** How late answers come: of what is usual, or of a database that stands almost still. */
const LATE_MS = effort === 1 ? [400, 3000] : [800, 4000, 8000];
/** For what is given up by the caller's time, however long the patience is. */
const PATIENT = { KEYDESK_DATABASE_PATIENCE_MS: "60000" };

/** Developers without keys. */
const addDevelopers = defineTransaction(
  "test.add-developers",
  async (tx, { org_id, count }: { org_id: string; count: number }) => {
    const actor = { org_id, user_id: "test", token_id: "test", now: Date.now() };
    for (let n = 0; n < count; n++) await lockOwner(tx, actor, `developer-${n}`);
  },
);

const OF_NO_API = "/api/portal/developers/api/of-nobody";

/** A desk with one connection: each question stands behind the one before. */
function onLateDatabase(
  promise: string,
  test: (desk: TestDesk, proxy: SlowProxy) => Promise<void>,
  environment: Record<string, string> = {},
): void {
  Deno.test({
    name: `postgres: ${promise}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const url = new URL(await createMigrated());
      const proxy = slowProxy(Number(url.port), 0);
      url.port = String(proxy.port);
      await using desk = await openTestDesk("postgres", {
        extra: [addDevelopers],
        environment: {
          KEYDESK_DATABASE_URL: url.href,
          KEYDESK_SEALING_KEY: newSealingKey().trim(),
          KEYDESK_DATABASE_POOL: "1",
          KEYDESK_DATABASE_CONNECT_MS: "60000",
          KEYDESK_DATABASE_STATEMENT_MS: "60000",
          KEYDESK_DATABASE_LOCK_MS: "60000",
          KEYDESK_DATABASE_IDLE_MS: "60000",
          KEYDESK_DATABASE_PATIENCE_MS: String(PATIENCE_MS),
          ...environment,
        },
      });
      try {
        await test(desk, proxy);
      } finally {
        proxy.slowTo(0);
        proxy.stop();
      }
    },
  });
}

async function assertAway(what: string, response: Response): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, 503, `${what}: ${text}`);
  assert.ok(Number(response.headers.get("retry-after")) >= 1, what);
  return text;
}

for (const lateMs of LATE_MS) {
  onLateDatabase(
    `answers that come ${
      lateMs / PATIENCE_MS
    } of the patience late: no call waits for more of them than that, plus one`,
    async (desk, proxy) => {
      await makeKnown(desk, ["plan-weather"]);
      const id = await create(desk, smallRequest());
      const calls = {
        create: () => desk.send("POST", REQUESTS, { body: smallRequest() }),
        approve: () => desk.send("PUT", approvalOf(id)),
        delete: () => desk.send("DELETE", pathOf(id)),
        "look up an unknown caller": () => desk.send("GET", pathOf(id), { credential: "nobody" }),
      };
      let unknown = 0;
      let done = 0;
      for (const [what, call] of Object.entries(calls)) {
        proxy.slowTo(lateMs);
        const before = proxy.answers();
        const began = performance.now();
        const response = await call();
        const tookMs = performance.now() - began;
        if (effort > 1) {
          console.log(`deadline: ${lateMs} ms late: ${what} ${Math.round(tookMs)} ms`);
          assert.ok(tookMs < PATIENCE_MS + lateMs, `${what}: ${tookMs} ms`);
        }
        const answers = proxy.answers() - before;
        const most = Math.floor(PATIENCE_MS / lateMs) + 1;
        assert.ok(answers <= most, `${what}: ${answers} answers`);
        const isAsked = what !== "look up an unknown caller";
        // In 5 s a create has its few answers of 0.8 s each.
        const mayBeDone = effort > 1 && 5 * lateMs < PATIENCE_MS;
        if ((isAsked && !(mayBeDone && response.ok)) || lateMs > PATIENCE_MS) {
          const text = await assertAway(what, response);
          if (text.includes("cannot tell in time whether")) unknown++;
        } else {
          await response.body?.cancel();
          done++;
        }
        proxy.slowTo(0);
        // What was begun is ended, and the connection is another's again.
        await eventually(what, async () => (await desk.send("GET", pathOf(id))).status !== 503);
      }
      const others = (await listIds(desk)).filter((one) => one !== id);
      assert.ok(others.length <= unknown + done, "whatever was done said that it may have been");
    },
  );
}

onLateDatabase(
  "X-Request-Timeout shortens the wait and never lengthens it; a store that is well stays so",
  async (desk, proxy) => {
    const id = await create(desk, smallRequest());
    const read = (timeout: string) =>
      desk.send("GET", pathOf(id), { headers: { "x-request-timeout": timeout } });
    for (const timeout of ["30", "0.000001x", "0", "-1", "soon", "99999999"]) {
      assert.equal((await read(timeout)).status, 200, timeout);
    }
    proxy.slowTo(5000);
    const before = proxy.answers();
    await assertAway("read", await read("0.2"));
    const headers = { "x-request-timeout": "0.2" };
    const body = smallRequest();
    await assertAway("create", await desk.send("POST", REQUESTS, { body, headers }));
    assert.equal(proxy.answers(), before, "both were answered before the database");
    assert.equal(desk.app.ctx.writing.last()?.outcome, "kept", "no problem of the store");
    proxy.slowTo(0);
    await eventually("it goes on", async () => (await desk.send("GET", pathOf(id))).status === 200);
    assert.deepEqual(await listIds(desk), [id]);
  },
  PATIENT,
);

onLateDatabase(
  "a list that is read by many prompt statements has one time in all, then 503",
  async (desk, proxy) => {
    const { storage } = desk.app.ctx;
    // Five statements, which ask for 64 each; nobody has a key that opens it.
    await storage.commit(addDevelopers, { org_id: desk.org_id, count: 300 });
    proxy.slowTo(45);
    const before = proxy.answers();
    await assertAway("list", await desk.send("GET", OF_NO_API));
    assert.ok(proxy.answers() - before < 7, "it was given up on the way");
    proxy.slowTo(0);
    // A busy machine may need longer than this list has.
    await eventually("the list, once its statements are prompt", async () => {
      const answer = await desk.send("GET", OF_NO_API);
      const { Data } = await answer.json();
      return answer.status === 200 && Data.length === 0;
    });
  },
  { KEYDESK_DATABASE_PATIENCE_MS: "120", KEYDESK_DATABASE_STATEMENT_MS: "100" },
);

Deno.test({
  name:
    "postgres: a deadline that passes inside a commit: 503 says that nobody knows, and it counts",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const url = await createMigrated();
    await using proxy = cutProxy(url);
    await using desk = await openTestDesk("postgres", {
      environment: {
        KEYDESK_DATABASE_URL: proxy.through(url),
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
        ...PATIENT,
      },
    });
    const before = await create(desk, smallRequest());
    proxy.loseNext("delayed");
    const headers = { "x-request-timeout": "0.3", "idempotency-key": "key-of-a-late-creation" };
    const send = () => desk.send("POST", REQUESTS, { body: smallRequest(), headers });
    assert.match(await assertAway("create", await send()), /cannot tell in time/);
    proxy.answerLate();
    const again = await desk.send("POST", REQUESTS, {
      body: smallRequest(),
      headers: { "idempotency-key": headers["idempotency-key"] },
    });
    const { Message: id } = await again.json();
    assert.deepEqual((await listIds(desk)).sort(), [before, id].sort(), "it was done once");
  },
});
