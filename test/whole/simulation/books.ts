import assert from "node:assert/strict";
import { KEPT_MS } from "../../../src/changes/invalidation.ts";
import { findPosition } from "../../../src/changes/invalidations.store.ts";
import { SqliteConnection } from "../../../src/storage/engines/sqlite-connection.ts";
import { statement } from "../../../src/storage/statement.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { readLedger } from "../../support/ledger.ts";

type Nothing = Record<never, never>;

const keysSql = statement<Nothing>()((db) =>
  db.selectFrom("credentials").select(["key_id", "state", "replaced_by"])
);
const auditSql = statement<Nothing>()((db) =>
  db.selectFrom("audit_events").select(["action", "object_id"])
    .where("action", "like", "credential.%")
);
const outboxSql = statement<Nothing>()((db) =>
  db.selectFrom("outbox_events").select(["topic", "object_id"])
    .where("topic", "like", "credential.%")
);
const invalidationsSql = statement<Nothing>()((db) =>
  db.selectFrom("invalidations").select(["position", "at"]).orderBy("position")
);
const beganSql = statement<Nothing>()((db) =>
  db.selectFrom("audit_events").select((eb) => eb.fn.min("at").as("at"))
);

/** Everything that the books of a store should agree on, and what does not; empty: nothing. */
export async function booksOf(db: Connection): Promise<string[]> {
  return await problemsOf("the books", async () => {
    await readLedger(db);
    await readKeys(db);
    await readInvalidations(db);
    return [];
  });
}

/** The same of a file, and what SQLite's own check of every page says. */
export async function booksOfFile(path: string): Promise<string[]> {
  const connection = SqliteConnection.openReader(path);
  try {
    const problems = await problemsOf("the file", () => Promise.resolve(connection.problems()));
    return [...problems, ...await booksOf(connection)];
  } finally {
    connection.close();
  }
}

/** What is wrong, also where so much is that it can't be read. */
async function problemsOf(what: string, look: () => Promise<string[]>): Promise<string[]> {
  try {
    return (await look()).map((problem) => `${what}: ${problem}`);
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : error}`];
  }
}

/** Every key was told of once when it was issued, and so was every end of a key. */
async function readKeys(db: Connection): Promise<void> {
  const keys = await db.rows(keysSql, {});
  const audit = await db.rows(auditSql, {});
  const outbox = await db.rows(outboxSql, {});
  const lines = audit.map(({ action, object_id }) => `${action} ${object_id}`).sort();
  assert.deepEqual(
    outbox.map(({ topic, object_id }) => `${topic} ${object_id}`).sort(),
    lines,
    "audit and outbox tell the same of keys",
  );
  const expected = keys.flatMap(({ key_id, state, replaced_by }) => [
    `credential.issued ${key_id}`,
    ...state === "revoked" ? [`credential.revoked ${key_id}`] : [],
    ...replaced_by === null ? [] : [`credential.rotated ${key_id}`],
  ]);
  assert.deepEqual(lines, expected.sort(), "the audit log tells of each key what became of it");
}

/**
 * Invalidations end at the counter, and none is missing but those that a later one has purged: it
 * was made by a clock that showed more than the time they are kept behind the earliest one that any
 * clock showed.
 */
async function readInvalidations(db: Connection): Promise<void> {
  const rows = await db.rows(invalidationsSql, {});
  assert.equal(Number(rows.at(-1)?.position ?? 0), await findPosition(db), "invalidations' end");
  const began = Date.parse((await db.row(beganSql, {}))?.at ?? "");
  let newest = -Infinity;
  for (let i = rows.length - 1; i > 0; i--) {
    const [before, row] = [rows[i - 1] ?? assert.fail(), rows[i] ?? assert.fail()];
    newest = Math.max(newest, Date.parse(row.at));
    const isNext = Number(row.position) === Number(before.position) + 1;
    const mayBePurged = newest - began > KEPT_MS;
    assert.ok(isNext || mayBePurged, `invalidations: none before ${row.position}`);
    assert.ok(newest - Date.parse(before.at) <= KEPT_MS, `${before.position} is kept too long`);
  }
}
