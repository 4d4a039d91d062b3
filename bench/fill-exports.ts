/**
 * Fills an SQLite store that has keys with as many developers, key requests and rows of the audit
 * log; for benchmarks alone.
 */
import { parseArgs } from "node:util";
import { writeAuditLogRows } from "../src/calls/audit-notes.transactions.ts";
import { readConfig } from "../src/config.ts";
import { openServer } from "../src/open-server.ts";
import { findFirstOrganisation } from "../src/features/people/organisations.store.ts";
import { operator } from "../src/features/people/operator.transactions.ts";
import { emptyDeveloper } from "../src/features/developers/developer.ts";
import { insertDeveloper } from "../src/features/developers/developers.store.ts";
import { draft, initially } from "../src/features/key-requests/draft-key-request.ts";
import { keyRequestInput } from "../src/features/key-requests/key-requests.contract.ts";
import { insertRequest } from "../src/features/key-requests/key-requests.store.ts";
import { indexChanges } from "../src/features/key-requests/search.transactions.ts";
import { newId } from "../src/kernel/ids.ts";
import { appendAll } from "../src/maintenance/audit-log/appender.ts";
import { defineTransaction } from "../src/storage/storage.ts";
import { transactions } from "../src/transactions.ts";

const CHUNK = 2000;
const BEGAN_MS = Date.UTC(2024, 0, 1);

const timeOf = (n: number) => new Date(BEGAN_MS + n * 600).toISOString();

const fillRows = defineTransaction(
  "bench.rows",
  async (tx, { org_id, from, to }: { org_id: string; from: number; to: number }) => {
    for (let n = from; n < to; n++) {
      const id = newId(BEGAN_MS);
      const by_user = `reader-${n}`;
      const date_created = timeOf(n);
      const developer = { ...emptyDeveloper(by_user), org_id, email: `${by_user}@example.org` };
      await insertDeveloper(tx, org_id, { ...developer, date_created });
      const body = keyRequestInput.parse({ by_user, for_plan: "plan-0", date_created });
      const { columns } = draft(body, { org_id, id }, initially(BEGAN_MS));
      await insertRequest(tx, {
        ...columns,
        state: "pending",
        secrets: null,
        asked_end: null,
        policy: null,
        expires_at: null,
        due_at: null,
      });
    }
  },
);

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "./data" },
    rows: { type: "string", default: "20000" },
  },
});
const total = Number(values.rows);
const desk = await openServer(readConfig({ KEYDESK_DATA_DIR: values.data }), {
  writer: { thread: false, transactions: [...transactions, fillRows] },
});
const organisation = await findFirstOrganisation(desk.storage.reader);
if (!organisation) throw new Error("start the server once before filling its store");
const { id: org_id } = organisation;
const actor = operator(org_id, Date.now());
for (let from = 0; from < total; from += CHUNK) {
  const to = Math.min(total, from + CHUNK);
  await desk.storage.commit(fillRows, { org_id, from, to });
  const rows = Array.from({ length: to - from }, (_, n) => ({
    actor,
    event: { action: "bench.filled", object: "developer", object_id: `reader-${from + n}` },
  }));
  await desk.storage.commit(writeAuditLogRows, { rows });
}
// A server would do this in the background, at the expense of what is measured.
while (await desk.storage.commit(indexChanges, { from: "" }) > 0);
await appendAll(desk);
await desk.storage.close();
