/** The plans of SQLite's statements, before they run. */
import assert from "node:assert/strict";
import type { SqlValue, Statement } from "../../src/storage/statement.ts";
import { type Connection, defineTransaction, type Tx } from "../../src/storage/storage.ts";
import { testStore } from "./stores.ts";

/**
 * A statement that was run, its values, and how SQLite says that it will run it: each step, and all
 * as lines.
 */
export interface Planned {
  sql: string;
  values: SqlValue[];
  steps: string[];
  plan: string;
}

/**
 * What `call` runs in a transaction of a fresh SQLite store: each statement once, in the order of
 * their first runs.
 */
export async function plansOf(call: (tx: Tx) => Promise<unknown>): Promise<Planned[]> {
  const planned = new Map<string, Planned>();
  const planning = defineTransaction("test.query-plans", async (tx, _: null) => {
    const send: Tx["send"] = async (s, p) => {
      await explain(tx, planned, s, p);
      await tx.send(s, p);
    };
    const { sealer, counts } = tx;
    await call({ ...explaining(tx, planned), send, sealer, counts });
  });
  await using store = await testStore("sqlite", [planning]);
  await (await store.open()).commit(planning, null);
  return [...planned.values()];
}

/** The same of what `call` reads, on a store that is open. */
export async function plansOfReads(
  reader: Connection,
  call: (db: Connection) => Promise<unknown>,
): Promise<Planned[]> {
  const planned = new Map<string, Planned>();
  await call(explaining(reader, planned));
  return [...planned.values()];
}

/**
 * Fails where a store exports a function that `calls` does not name; `parts` are exported for
 * others' statements.
 */
export function assertAllCalled(
  stores: readonly object[],
  calls: Readonly<Record<string, unknown>>,
  parts: readonly string[] = [],
): void {
  const functions = stores.flatMap((store) => Object.entries(store))
    .filter(([name, value]) => typeof value === "function" && !parts.includes(name));
  assert.deepEqual(functions.map(([name]) => name).sort(), Object.keys(calls).sort());
}

/** Runs every call of a table, one after another. */
export function each<Db>(
  calls: Readonly<Record<string, (db: Db) => Promise<unknown>>>,
): (db: Db) => Promise<void> {
  return async (db) => {
    for (const call of Object.values(calls)) await call(db);
  };
}

function explaining(db: Connection, planned: Map<string, Planned>): Connection {
  return {
    dialect: db.dialect,
    rows: async (s, p) => (await explain(db, planned, s, p), await db.rows(s, p)),
    row: async (s, p) => (await explain(db, planned, s, p), await db.row(s, p)),
    change: async (s, p) => (await explain(db, planned, s, p), await db.change(s, p)),
  };
}

async function explain<P extends object>(
  db: Connection,
  planned: Map<string, Planned>,
  statement: Statement<P, unknown>,
  params: P,
): Promise<void> {
  const compiled = statement.compile("sqlite");
  const { sql } = compiled;
  const values = compiled.values(params);
  const rows = await db.rows<Record<never, never>, { detail: string }>(
    { compile: () => ({ sql: `explain query plan ${sql}`, values: () => values }) },
    {},
  );
  const steps = rows.map(({ detail }) => detail);
  planned.set(sql, { sql, values, steps, plan: steps.join("\n") });
}
