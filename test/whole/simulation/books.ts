import assert from "node:assert/strict";
import { SqliteConnection } from "../../../src/storage/engines/sqlite-connection.ts";
import { statement } from "../../../src/storage/statement.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { readLedger } from "../../support/ledger.ts";

type Nothing = Record<never, never>;

const keysSql = statement<Nothing>()((db) =>
  db.selectFrom("credentials").select(["key_id", "request_id", "state", "replaced_by"])
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
  db.selectFrom("invalidations").select(["position"]).orderBy("position")
);

/** Everything that the books of a store should agree on, and what does not; empty: nothing. */
export async function booksOf(db: Connection): Promise<string[]> {
  try {
    await readLedger(db);
    await readKeys(db);
    return [];
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    return [`the books: ${error.message}`];
  }
}

/** The same of a file, and what SQLite's own check of every page says. */
export async function booksOfFile(path: string): Promise<string[]> {
  const connection = SqliteConnection.openReader(path);
  try {
    const problems = connection.problems().map((problem) => `the file: ${problem}`);
    return [...problems, ...await booksOf(connection)];
  } finally {
    connection.close();
  }
}

/** Every key without a request was told of once, and so was every end of a key. */
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
  const expected = keys.flatMap(({ key_id, request_id, state, replaced_by }) => [
    ...request_id === "" ? [`credential.issued ${key_id}`] : [],
    ...state === "revoked" ? [`credential.revoked ${key_id}`] : [],
    ...replaced_by === null ? [] : [`credential.rotated ${key_id}`],
  ]);
  assert.deepEqual(lines, expected.sort(), "the trail tells of each key what became of it");
  const positions = (await db.rows(invalidationsSql, {})).map(({ position }) => Number(position));
  assert.deepEqual(positions, positions.map((_, i) => (positions[0] ?? 0) + i), "invalidations");
}
