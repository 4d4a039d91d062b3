/**
 * Fills an SQLite store with many believable requests, far faster than by the interface; for
 * benchmarks alone.
 */
import { parseArgs } from "node:util";
import { readConfig } from "../src/config.ts";
import { openServer } from "../src/open-server.ts";
import { findFirstOrganisation } from "../src/features/people/organisations.store.ts";
import { catalogueEntry } from "../src/features/plans/catalogue/catalogue.contract.ts";
import { putCatalogue } from "../src/features/plans/catalogue/catalogue.store.ts";
import { emptyDeveloper } from "../src/features/developers/developer.ts";
import { insertDeveloper } from "../src/features/developers/developers.store.ts";
import { draft, initially } from "../src/features/key-requests/draft-key-request.ts";
import { keyRequestInput } from "../src/features/key-requests/key-requests.contract.ts";
import { fullKeyRequest } from "../src/features/key-requests/key-requests.example.ts";
import { insertRequest } from "../src/features/key-requests/key-requests.store.ts";
import { indexChanges } from "../src/features/key-requests/search.transactions.ts";
import { insertPlan } from "../src/features/plans/plans.store.ts";
import { newId } from "../src/kernel/ids.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { transactions } from "../src/transactions.ts";

const PLANS = 6;
const CHUNK = 2000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The plan and developer of the n-th row; one developer for twenty rows. */
const planOf = (n: number) => `plan-${n % PLANS}`;
const developerOf = (n: number) => `developer-${Math.floor(n / 20)}`;

const fillPlans = defineTransaction("bench.plans", async (tx, { org_id }: { org_id: string }) => {
  const entries = Array.from({ length: PLANS }, (_, n) => {
    const entry = catalogueEntry.input.parse({
      ...fullKeyRequest.catalogue_entry,
      policy_id: planOf(n),
    });
    return { api_id: entry.api_id, policy_id: entry.policy_id, document: JSON.stringify(entry) };
  });
  await putCatalogue(tx, { org_id, id: newId(Date.now()), email: "", entries });
  for (let n = 0; n < PLANS; n++) {
    const ids = { id: newId(Date.now()), given_id: planOf(n) };
    const plan = { org_id, ...ids, name: `Plan ${n}`, auth_type: "authToken" };
    await insertPlan(tx, { ...plan, document: "{}", date_created: "2026-01-01T00:00:00.000Z" });
  }
});

/** When the n-th row was sent. */
const timeOf = (n: number, total: number, now: number) =>
  new Date(now - Math.floor((2 * 365 * DAY_MS * (total - n)) / total)).toISOString();

/**
 * Rows `from` to `to`, spread over two years before now, a minute's worth of seconds apart from
 * each other.
 */
const fillRows = defineTransaction(
  "bench.rows",
  async (tx, input: { org_id: string; from: number; to: number; total: number; now: number }) => {
    const { org_id, total, now } = input;
    const ids: string[] = [];
    for (let n = input.from; n < input.to; n++) {
      const id = newId(now);
      const by_user = developerOf(n);
      if (n % 20 === 0) {
        const email = `${by_user}@example.org`;
        const date_created = timeOf(n, total, now);
        const developer = { ...emptyDeveloper(by_user), org_id, email, date_created };
        await insertDeveloper(tx, org_id, developer);
      }
      const at = timeOf(n, total, now);
      const body = keyRequestInput.parse({
        ...fullKeyRequest,
        by_user,
        portal_developer: { ...fullKeyRequest.portal_developer, id: by_user },
        for_plan: planOf(n),
        apply_policies: [planOf(n)],
        date_created: at,
      });
      const { columns } = draft(body, { org_id, id }, initially(now));
      await insertRequest(tx, {
        ...columns,
        state: "pending",
        secrets: null,
        asked_end: null,
        policy: null,
        expires_at: null,
        due_at: null,
      });
      ids.push(id);
    }
    return ids;
  },
);

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "./data" },
    rows: { type: "string", default: "1000" },
    ids: { type: "string" },
  },
});
const total = Number(values.rows);
const desk = await openServer(readConfig({ KEYDESK_DATA_DIR: values.data }), {
  writer: { thread: false, transactions: [...transactions, fillPlans, fillRows] },
});
const organisation = await findFirstOrganisation(desk.storage.reader);
if (!organisation) throw new Error("start the server once before filling its store");
const org_id = organisation.id;
await desk.storage.commit(fillPlans, { org_id });
const kept: string[] = [];
for (let from = 0; from < total; from += CHUNK) {
  const to = Math.min(total, from + CHUNK);
  const ids = await desk.storage.commit(fillRows, { org_id, from, to, total, now: Date.now() });
  if (kept.length < 200_000) kept.push(...ids);
}
// A server would do this in the background, at the expense of what is measured.
while (await desk.storage.commit(indexChanges, { from: "" }) > 0);
await desk.storage.close();
if (values.ids) await Deno.writeTextFile(values.ids, kept.join("\n") + "\n");
