import type { Statement } from "../statement.ts";
import type { Connection } from "../storage.ts";
import type { Lease } from "./postgres-servers.ts";

/**
 * A connection of the driver as ours; `wrote` tells whether anything but `select` was run on it. Errors are the driver's.
 * `limitMs` as `asking` takes it.
 */
export function connectionOn(
  lease: Lease,
  limitMs?: number,
): Connection & { wrote(): boolean } {
  let wrote = false;
  const query = async <P extends object, R>(statement: Statement<P, R>, params: P) => {
    const { name, text, mayWrite, values } = prepared(statement);
    wrote ||= mayWrite;
    const question = () => lease.client.query({ name, text, values: values(params) });
    return await ask(lease, question, limitMs);
  };
  return {
    dialect: "postgres",
    // as (all three): the statement's builder typed the columns that it selects.
    rows: async <P extends object, R>(s: Statement<P, R>, params: P) =>
      (await query(s, params)).rows as R[],
    row: async <P extends object, R>(s: Statement<P, R>, params: P) =>
      (await query(s, params)).rows[0] as R | undefined,
    change: async (s, params) => (await query(s, params)).rowCount ?? 0,
    wrote: () => wrote,
  };
}

/** Asks the server something, under the eyes of the pulse; `limitMs` as `asking` takes it. */
export async function ask<T>(
  lease: Lease,
  question: () => Promise<T>,
  limitMs?: number,
): Promise<T> {
  lease.asking(limitMs);
  try {
    return await question();
  } finally {
    lease.answered();
  }
}

interface Prepared {
  name: string;
  text: string;
  mayWrite: boolean;
  values(params: object): unknown[];
}

let statementCount = 0;
const known = new WeakMap<object, Prepared>();

/** With a name for the server's prepared statement, the same for the life of this process. */
function prepared(statement: Statement<never, unknown>): Prepared {
  let found = known.get(statement);
  if (!found) {
    const { sql, values } = statement.compile("postgres");
    const mayWrite = !/^\s*select\b/i.test(sql);
    found = { name: `s${++statementCount}`, text: sql, mayWrite, values };
    known.set(statement, found);
  }
  return found;
}
