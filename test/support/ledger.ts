import assert from "node:assert/strict";
import { listOf } from "../../src/features/key-requests/key-request.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { statement } from "../../src/storage/statement.ts";
import type { Connection } from "../../src/storage/storage.ts";

type Nothing = Record<never, never>;

const organisationsSql = statement<Nothing>()((db) =>
  db.selectFrom("organisations").select("id").orderBy("id")
);
const requestsSql = statement<Nothing>()((db) =>
  db.selectFrom("key_requests")
    .select(["id", "org_id", "state", "approved", "instant", "by_user", "head", "tail"])
    .select(["issued_at", "issued_by"]).orderBy("id")
);
const credentialsSql = statement<Nothing>()((db) =>
  db.selectFrom("credentials").select(["key_id", "request_id", "developer_id", "plans"])
    .select(["state", "replaced_by"]).orderBy("key_id")
);
const auditSql = statement<Nothing>()((db) =>
  db.selectFrom("audit_events").select(["action", "object_id", "detail"])
    .where("object", "=", "key_request")
);
const outboxSql = statement<Nothing>()((db) =>
  db.selectFrom("outbox_events").select(["topic", "object_id"]).where(
    "topic",
    "like",
    "key_request%",
  )
);
const developersSql = statement<Nothing>()((db) =>
  db.selectFrom("developers").select(["id", "document", "org_id", "instant"])
);
const plansSql = statement<Nothing>()((db) =>
  db.selectFrom("plans").select(["org_id", "date_created as instant"])
    .where("deleted_at", "is", null)
);
const countersSql = statement<Nothing>()((db) =>
  // What belongs to no organisation counts no list.
  db.selectFrom("list_counts").select(["org_id", "list", "level", "bucket"]).where(
    "org_id",
    "!=",
    "",
  )
    .select((eb) => eb.fn.sum<number>("n").as("n"))
    .groupBy(["org_id", "list", "level", "bucket"])
);

/** The books of a store in which credentials come from approvals and issues of this suite alone. */
export interface Ledger {
  organisations: string[];
  requests: Map<
    string,
    {
      org_id: string;
      state: string;
      approved: number;
      instant: string;
      by_user: string;
      text: string;
    }
  >;
  /** Key ids by the request that they were issued for. */
  keysOf: Map<string, string[]>;
  /** The plans of those keys, likewise. */
  plansOf: Map<string, string[]>;
  /** `action object` of each audit row, and the outbox's likewise, sorted. */
  audit: string[];
  outbox: string[];
}

/** Reads the books and asserts that they agree with one another: no half state anywhere. */
export async function readLedger(db: Connection): Promise<Ledger> {
  const organisations = (await db.rows(organisationsSql, {})).map((row) => row.id);
  const requests = await db.rows(requestsSql, {});
  const keys = await db.rows(credentialsSql, {});
  const credentials = keys.filter(({ request_id }) => request_id !== "");
  const audit = await db.rows(auditSql, {});
  const ledger: Ledger = {
    organisations,
    requests: new Map(requests.map((row) => {
      const { org_id, state, approved, instant, by_user } = row;
      const text = `${row.head}${approved === 1}${row.tail}}`;
      return [row.id, { org_id, state, approved, instant, by_user, text }];
    })),
    keysOf: new Map(),
    plansOf: new Map(credentials.map((row) => [row.request_id, JSON.parse(row.plans)])),
    audit: audit.map((row) => `${row.action} ${row.object_id}`).sort(),
    outbox: (await db.rows(outboxSql, {})).map((row) => `${row.topic} ${row.object_id}`).sort(),
  };
  for (const { key_id, request_id } of credentials) {
    ledger.keysOf.set(request_id, [...ledger.keysOf.get(request_id) ?? [], key_id]);
  }
  assert.deepEqual(ledger.outbox, ledger.audit, "audit and outbox tell the same");
  assertStates(ledger, requests);
  assertApprovals(ledger, audit);
  const developers = await db.rows(developersSql, {});
  const isHeld = (key: typeof keys[number]) => key.state !== "revoked" && key.replaced_by === null;
  const ended = keys.filter((key) => !isHeld(key)).map(({ developer_id }) => developer_id);
  assertDevelopers(keys.filter(isHeld), developers, new Set(ended));
  // as: the column holds no other state.
  const listed = requests.map((row) => ({
    ...row,
    list: listOf(row.state as "pending", row.approved),
  }));
  const others = [
    ...developers.map((row) => ({ ...row, list: "developers" })),
    ...(await db.rows(plansSql, {})).map((row) => ({ ...row, list: "plans" })),
  ];
  assertCounters([...listed, ...others], await db.rows(countersSql, {}));
  return ledger;
}

/** The same of an SQLite file, beside whoever has it open. */
export async function readLedgerOfFile(path: string): Promise<Ledger> {
  const connection = SqliteConnection.openReader(path);
  try {
    return await readLedger(connection);
  } finally {
    connection.close();
  }
}

function assertStates(
  ledger: Ledger,
  requests: readonly { id: string; state: string; approved: number; issued_at: string | null }[],
): void {
  for (const { id, state, approved, issued_at } of requests) {
    const keys = ledger.keysOf.get(id) ?? [];
    assert.equal(keys.length, state === "issued" ? 1 : 0, `${id} is ${state}: ${keys.length} keys`);
    assert.equal(
      issued_at !== null,
      state === "issued",
      `${id} is ${state}, issued at ${issued_at}`,
    );
    if (state === "issued") assert.equal(approved, 1, `${id} is issued and not approved`);
  }
}

/**
 * Created once, approved and deleted at most once; each approval has its key and each key its
 * approval.
 */
function assertApprovals(
  ledger: Ledger,
  audit: readonly { action: string; object_id: string; detail: string }[],
): void {
  const of = (action: string) => audit.filter((row) => row.action === `key_request.${action}`);
  const ids = (action: string) => of(action).map((row) => row.object_id).sort();
  for (const action of ["created", "approved", "deleted"]) {
    assert.equal(new Set(ids(action)).size, ids(action).length, `${action} twice`);
  }
  const deleted = new Set(ids("deleted"));
  assert.deepEqual(
    ids("created").filter((id) => !deleted.has(id)),
    [...ledger.requests.keys()].sort(),
    "what was created and not deleted is there, and nothing else",
  );
  const approvals = of("approved").map((row) => [row.object_id, [JSON.parse(row.detail).key_id]]);
  assert.deepEqual(Object.fromEntries(ledger.keysOf), Object.fromEntries(approvals));
}

/**
 * Each developer's maps hold exactly the keys that were issued for them. Where one of several keys
 * to a plan has `ended`, the plan's subscription may be gone with it.
 */
function assertDevelopers(
  credentials: readonly { key_id: string; developer_id: string; plans: string }[],
  developers: readonly { id: string; document: string }[],
  ended: ReadonlySet<string>,
): void {
  const issued = new Map<string, Record<string, string[]>>();
  for (const { key_id, developer_id, plans } of credentials) {
    const keys = issued.get(developer_id) ?? {};
    issued.set(developer_id, { ...keys, [key_id]: JSON.parse(plans) });
  }
  for (const { id, document } of developers) {
    const { keys, subscriptions } = JSON.parse(document);
    const expected = issued.get(id) ?? {};
    assert.deepEqual(keys, expected, `the keys of ${id}`);
    const plans = [...new Set(Object.values(expected).flat())].sort();
    const subscribed = Object.keys(subscriptions).sort();
    if (!ended.has(id)) assert.deepEqual(subscribed, plans, `the subscriptions of ${id}`);
    for (const [plan, key] of Object.entries<string>(subscriptions)) {
      assert.ok(expected[key]?.includes(plan), `${id}: ${plan} through ${key}`);
    }
    issued.delete(id);
  }
  assert.deepEqual([...issued.keys()], [], "keys of developers that are not there");
}

/** Every counter at every level is what counting the rows gives. */
function assertCounters(
  rows: readonly { org_id: string; list: string; instant: string }[],
  counters: readonly { org_id: string; list: string; level: number; bucket: string; n: number }[],
): void {
  // How much of the instant names a bucket at each level: from nothing (all rows) to the minute.
  const lengths = new Map(counters.map((row) => [row.level, row.bucket.length]));
  if (rows.length > 0) {
    assert.ok([...lengths.values()].includes(0) && [...lengths.values()].includes(16));
  }
  const counted = new Map<string, number>();
  for (const { org_id, list, instant } of rows) {
    for (const [level, length] of lengths) {
      const name = [org_id, list, level, instant.slice(0, length)].join(" ");
      counted.set(name, (counted.get(name) ?? 0) + 1);
    }
  }
  const stored = new Map(
    counters.map((row): [string, number] => [
      [row.org_id, row.list, row.level, row.bucket].join(" "),
      Number(row.n),
    ]).filter(([, n]) => n !== 0),
  );
  const sorted = (map: Map<string, number>) => [...map].sort();
  assert.deepEqual(sorted(stored), sorted(counted), "the counters");
}
