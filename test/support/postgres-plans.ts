/** The plans of PostgreSQL's statements, as they really ran. */
import assert from "node:assert/strict";
import pg from "pg";
import type { SqlValue, Statement } from "../../src/storage/statement.ts";
import type { Connection } from "../../src/storage/storage.ts";
import { testStore } from "./stores.ts";

/** A node of a plan as `explain (analyze, format json)` gives it. */
export interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** A connection that also notes each statement's plan, as it really ran. */
export function explaining(
  reader: Connection,
  client: pg.Client,
  note: (plan: Plan[], sql: string) => void,
) {
  const explain = async (statement: Statement<never, unknown>, params: object) => {
    const { sql, values } = statement.compile("postgres");
    const { rows: [row] } = await client.query(
      `explain (analyze, format json) ${sql}`,
      values(params) as SqlValue[],
    );
    note(nodesOf(row["QUERY PLAN"][0].Plan), sql);
  };
  const connection: Connection = {
    dialect: reader.dialect,
    rows: async (s, p) => (await explain(s, p), await reader.rows(s, p)),
    row: async (s, p) => (await explain(s, p), await reader.row(s, p)),
    change: (s, p) => reader.change(s, p),
  };
  return connection;
}

/**
 * A test over a new store of PostgreSQL that `fill` has filled: what reads the store, and a client
 * of its database, which scans a table only where it has no index for the question.
 */
export function testFilled(
  name: string,
  fill: readonly string[],
  test: (reader: Connection, client: pg.Client) => Promise<void>,
): void {
  Deno.test({
    name,
    // The shared PostgreSQL outlives the single test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using at = await testStore("postgres", []);
      const { reader } = await at.open();
      assert.ok("url" in at.location);
      const client = new pg.Client({ connectionString: at.location.url });
      await client.connect();
      try {
        for (const sql of fill) await client.query(sql);
        await client.query("set enable_seqscan = off");
        await test(reader, client);
      } finally {
        await client.end();
      }
    },
  });
}
