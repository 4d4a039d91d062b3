/**
 * One developer with many keys is deleted with `keys=keep`, every key gets another plan meanwhile,
 * and the developer comes back; then is made inactive and active with all keys:
 * `deno run -A bench/back.ts --keys 100000`. On SQLite.
 */
import { parseArgs } from "node:util";
import { insertKey } from "../src/features/keys/keys.store.ts";
import { emptyDeveloper } from "../src/features/developers/developer.ts";
import { insertDeveloper } from "../src/features/developers/developers.store.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { openTestDesk } from "../test/support/desk.ts";
import { DatabaseSync } from "node:sqlite";
import "./machine.ts";

const DEVELOPER = "developer-of-many";
const AT = "2026-01-01T00:00:00.000Z";
const idOf = (n: number) => sha256(`key ${n}`);

const fill = defineTransaction(
  "bench.back",
  async (tx, { org_id, count }: { org_id: string; count: number }) => {
    const ids = Array.from({ length: count }, (_, n) => idOf(n));
    await insertDeveloper(tx, org_id, {
      ...emptyDeveloper(DEVELOPER),
      org_id,
      email: "many@example.org",
      date_created: AT,
      keys: Object.fromEntries(ids.map((id, n) => [id, [`plan-${n}`]])),
      subscriptions: Object.fromEntries(ids.map((id, n) => [`plan-${n}`, id])),
    });
    for (const [n, key_id] of ids.entries()) {
      await insertKey(tx, {
        org_id,
        key_id,
        kind: "token",
        secret_hash: null,
        state: "active",
        request_id: "",
        developer_id: DEVELOPER,
        plans: JSON.stringify([`plan-${n}`]),
        issued_at: AT,
        mask: "abcd…wxyz",
        attempt_id: key_id,
        issued_by: "bench",
      });
    }
  },
);

const { values } = parseArgs({ options: { keys: { type: "string", default: "100000" } } });
const count = Number(values.keys);
const desk = await openTestDesk("sqlite", { extra: [fill] });
await timed("filled", () => desk.app.ctx.storage.commit(fill, { org_id: desk.org_id, count }));
await call("DELETE", "?keys=keep");
{
  using db = new DatabaseSync(desk.config.databaseFile);
  // Its checksums are not looked at by what follows.
  db.exec("update credentials set plans = replace(plans, 'plan-', 'other-')");
}
await call("POST", "/restore", {});
await call("POST", "/deactivate", { keys: "suspend" });
await call("POST", "/reactivate", { keys: "resume" });
await desk.app.ctx.storage.close();

async function call(method: string, path: string, body?: unknown): Promise<void> {
  await timed(`${method} ${path}`, async () => {
    const url = `/v1/developers/${DEVELOPER}${path}`;
    const answer = await desk.send(method, url, body === undefined ? {} : { body });
    if (!answer.ok) throw new Error(await answer.text());
  });
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await work();
  console.log(`${what}: ${Math.round(performance.now() - from)} ms`);
}
