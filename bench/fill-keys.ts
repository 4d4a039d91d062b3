/** Fills an SQLite store with many keys, far faster than by the interface; for benchmarks alone. */
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { openServer } from "../src/open-server.ts";
import { findFirstOrganisation } from "../src/features/people/organisations.store.ts";
import { emptyDeveloper } from "../src/features/developers/developer.ts";
import { insertDeveloper } from "../src/features/developers/developers.store.ts";
import { insertKey } from "../src/features/keys/keys.store.ts";
import { emptyPlan } from "../src/features/plans/plan.ts";
import { insertPlan } from "../src/features/plans/plans.store.ts";
import { newId } from "../src/kernel/ids.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { transactions } from "../src/transactions.ts";

const PLANS = 10;
const CHUNK = 5000;
const BEGAN_MS = Date.UTC(2024, 0, 1);

/** The n-th key, of the length of ours. */
const keyOf = (org: string, n: number) =>
  btoa(JSON.stringify({ org, id: sha256(String(n)).slice(0, 32), h: "sha256" }));
const timeOf = (n: number) => new Date(BEGAN_MS + n * 60).toISOString();
const developerOf = (n: number) => `developer-${Math.floor(n / 20)}`;

const fillPlans = defineTransaction("bench.plans", async (tx, { org_id }: { org_id: string }) => {
  for (let n = 0; n < PLANS; n++) {
    const id = `plan-${n}`;
    // A rate that is counted and never reached.
    const _id = newId(BEGAN_MS);
    const plan = { ...emptyPlan({ _id, id }, id), rate: 1e9, per: 60 };
    plan.access_rights = { weather: { api_id: "weather" } };
    const row = { org_id, id: _id, given_id: id, name: id, auth_type: "authToken" };
    const document = JSON.stringify(plan);
    await insertPlan(tx, { ...row, document, date_created: timeOf(n) });
  }
});

const fillKeys = defineTransaction(
  "bench.keys",
  async (tx, { org_id, from, to }: { org_id: string; from: number; to: number }) => {
    for (let n = from; n < to; n++) {
      const developer_id = developerOf(n);
      const issued_at = timeOf(n);
      if (n % 20 === 0) {
        const email = `${developer_id}@example.org`;
        const developer = { ...emptyDeveloper(developer_id), org_id, email };
        await insertDeveloper(tx, org_id, { ...developer, date_created: issued_at });
      }
      const key_id = sha256(keyOf(org_id, n));
      await insertKey(tx, {
        org_id,
        key_id,
        kind: "token",
        secret_hash: null,
        state: "active",
        developer_id,
        request_id: "",
        plans: JSON.stringify([`plan-${n % PLANS}`]),
        issued_at,
        mask: `${key_id.slice(0, 4)}…${key_id.slice(-4)}`,
        attempt_id: key_id.slice(0, 32),
        issued_by: "bench",
      });
    }
  },
);

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "./data" },
    rows: { type: "string", default: "20000" },
    used: { type: "string", default: "2000" },
    keys: { type: "string", default: "./keys" },
  },
});
const total = Number(values.rows);
const used = Number(values.used);
const desk = await openServer(readConfig({ KEYDESK_DATA_DIR: values.data }), {
  writer: { thread: false, transactions: [...transactions, fillPlans, fillKeys] },
});
const organisation = await findFirstOrganisation(desk.storage.reader);
if (!organisation) throw new Error("start the server once before filling its store");
const { id: org_id } = organisation;
await desk.storage.commit(fillPlans, { org_id });
for (let from = 0; from < total; from += CHUNK) {
  await desk.storage.commit(fillKeys, { org_id, from, to: Math.min(total, from + CHUNK) });
}
await desk.storage.close();
// Spread over all of them.
const step = Math.max(1, Math.floor(total / used));
const keys = Array.from({ length: used }, (_, n) => keyOf(org_id, n * step));
await Deno.writeTextFile(values.keys, keys.join("\n") + "\n");
