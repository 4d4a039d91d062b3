/** Fills an SQLite store with many keys of one plan, far faster than by the interface; for benchmarks alone. */
import { parseArgs } from "node:util";
import { findFirstOrganisation } from "../src/access/access.store.ts";
import { readConfig } from "../src/config.ts";
import { insertCredential } from "../src/credentials/credentials.store.ts";
import { openDesk } from "../src/desk.ts";
import { emptyDeveloper } from "../src/developers/developer.ts";
import { insertDeveloper } from "../src/developers/developers.store.ts";
import { sha256 } from "../src/lib/sha256.ts";
import { insertPlan } from "../src/plans/plans.store.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { transactions } from "../src/transactions.ts";

const CHUNK = 5000;
const API = "66f0a1b2c3d4e5f601234568";
const PLAN = "66f0a1b2c3d4e5f601234569";
/** One developer for so many keys. */
const EACH = 20;

/** A plan as they are: a rate, a quota, one API. */
const fillPlan = defineTransaction("bench.plan", async (tx, { org_id }: { org_id: string }) => {
  const document = JSON.stringify({
    ...{ rate: 60, per: 60, quota_max: 20_000, quota_renewal_rate: 30 * 24 * 60 * 60 },
    ...{ active: true, access_rights: { [API]: {} }, tags: ["departures"] },
  });
  const plan = { org_id, id: PLAN, name: "Departures", auth_type: "authToken", document };
  await insertPlan(tx, { ...plan, date_created: "2026-01-01T00:00:00.000Z" });
});

const keyOf = (org_id: string, n: number) =>
  btoa(`{"org":"${org_id}","id":"${sha256(`bench ${n}`).slice(0, 32)}","h":"sha256"}`);

const fillKeys = defineTransaction(
  "bench.keys",
  async (tx, { org_id, from, to }: { org_id: string; from: number; to: number }) => {
    for (let n = from; n < to; n++) {
      const developer_id = `developer-${Math.floor(n / EACH)}`;
      if (n % EACH === 0) {
        const email = `${developer_id}@example.org`;
        await insertDeveloper(tx, org_id, { ...emptyDeveloper(developer_id), org_id, email });
      }
      const key_id = sha256(keyOf(org_id, n));
      await insertCredential(tx, {
        ...{ org_id, key_id, kind: "token", secret_hash: null, state: "active", developer_id },
        ...{ request_id: "", plans: `["${PLAN}"]`, mask: `${key_id.slice(0, 4)}…`, attempt_id: "" },
        ...{ issued_at: "2026-01-01T00:00:00.000Z", issued_by: "bench" },
      });
    }
  },
);

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "./data" },
    keys: { type: "string", default: "1000000" },
    used: { type: "string", default: "100000" },
    list: { type: "string", default: "keys.txt" },
  },
});
const total = Number(values.keys);
const desk = await openDesk(readConfig({ KEYDESK_DATA_DIR: values.data }), {
  writer: { thread: false, transactions: [...transactions, fillPlan, fillKeys] },
});
const organisation = await findFirstOrganisation(desk.storage.reader);
if (!organisation) throw new Error("start the server once before filling its store");
const org_id = organisation.id;
await desk.storage.commit(fillPlan, { org_id });
for (let from = 0; from < total; from += CHUNK) {
  await desk.storage.commit(fillKeys, { org_id, from, to: Math.min(total, from + CHUNK) });
}
await desk.storage.close();
// Spread over all of them, as those that are used would be.
const step = Math.max(1, Math.floor(total / Number(values.used)));
const used = Array.from({ length: Math.min(total, Number(values.used)) }, (_, i) => i * step);
await Deno.writeTextFile(values.list, used.map((n) => keyOf(org_id, n)).join("\n") + "\n");
