import { sql } from "kysely";
import pg from "pg";
import { Failure } from "../../lib/failure.ts";
import type { Sealer } from "../../sealing/sealer.ts";
import { migrate, versionTableSql } from "../migrate.ts";
import { PendingCounts } from "../pending-counts.ts";
import type { Statement } from "../statement.ts";
import { statement } from "../statement.ts";
import type { Connection, Storage, Transaction } from "../storage.ts";

/** How often a transaction is repeated after a serialisation failure or a deadlock. */
const ATTEMPTS = 8;

const selectOne = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("version").limit(sql.lit(1))
);

/** Counts and sizes are far below 2^53, so a bigint comes back as a number. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A Storage on PostgreSQL. Migrates first. Throws when the server can't be reached or refuses. */
export async function postgresStorage(url: string, sealer: Sealer): Promise<Storage> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    connectionTimeoutMillis: 5000,
    application_name: "keydesk",
  });
  // An idle connection that the server closes must not end the process; the next query gets a new one.
  pool.on("error", () => {});
  try {
    await migrateUnderLock(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  let commits = 0;
  let closed = false;
  const underWay = new Set<Promise<unknown>>();
  const reader = connectionOn(pool);
  return {
    reader,
    commit: async (transaction, input) => {
      if (closed) throw new Failure("unavailable");
      const running = inTransaction(pool, sealer, transaction, input);
      underWay.add(running);
      try {
        const output = await running;
        commits++;
        return output;
      } finally {
        underWay.delete(running);
      }
    },
    ping: async () => {
      await reader.row(selectOne, {});
    },
    changeMark: () => undefined,
    // The server groups flushes by itself; seen from here each commit waits for one.
    stats: () => ({ flushes: commits, commits }),
    close: async () => {
      closed = true;
      // The pool forgets whoever still waits for a connection when it ends.
      await Promise.allSettled(underWay);
      await pool.end();
    },
  };
}

function connectionOn(client: pg.Pool | pg.PoolClient): Connection {
  const query = async <P extends object, R>(statement: Statement<P, R>, params: P) => {
    const compiled = statement.compile("postgres");
    try {
      return await client.query({
        name: nameOf(statement),
        text: compiled.sql,
        values: compiled.values(params),
      });
    } catch (error) {
      throw isConnectionLoss(error) ? new Failure("unavailable", { cause: error }) : error;
    }
  };
  return {
    dialect: "postgres",
    // as (all three): the statement's builder typed the columns that it selects.
    rows: async <P extends object, R>(s: Statement<P, R>, params: P) =>
      (await query(s, params)).rows as R[],
    row: async <P extends object, R>(s: Statement<P, R>, params: P) =>
      (await query(s, params)).rows[0] as R | undefined,
    change: async (s, params) => (await query(s, params)).rowCount ?? 0,
  };
}

async function inTransaction<I, O>(
  pool: pg.Pool,
  sealer: Sealer,
  transaction: Transaction<I, O>,
  input: I,
): Promise<O> {
  for (let attempt = 1;; attempt++) {
    try {
      return await runOnce(pool, sealer, transaction, input);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (isConnectionLoss(error)) throw new Failure("unavailable", { cause: error });
      if (!isRetryable(error)) throw error;
      if (attempt === ATTEMPTS) throw new Failure("unavailable", { cause: error });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
    }
  }
}

async function runOnce<I, O>(
  pool: pg.Pool,
  sealer: Sealer,
  transaction: Transaction<I, O>,
  input: I,
): Promise<O> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const connection = connectionOn(client);
    const counts = new PendingCounts();
    const output = await transaction.run({ ...connection, sealer, counts }, input);
    await counts.apply(connection);
    await client.query("commit");
    return output;
  } catch (error) {
    await client.query("rollback").catch((cause) => broken = cause);
    throw error;
  } finally {
    client.release(broken);
  }
}

async function migrateUnderLock(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    // Two nodes that create the same table at once: one of them sees a unique violation and looks again.
    await client.query(versionTableSql("postgres")).catch(() =>
      client.query(versionTableSql("postgres"))
    );
    await client.query("begin");
    await client.query("lock table schema_versions in exclusive mode");
    const exec = async (text: string) => void await client.query(text);
    await migrate({ ...connectionOn(client), exec }, new Date().toISOString());
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

let statementCount = 0;
const names = new WeakMap<object, string>();

/** A name for the server's prepared statement, the same for the life of this process. */
function nameOf(statement: object): string {
  let name = names.get(statement);
  if (!name) {
    name = `s${++statementCount}`;
    names.set(statement, name);
  }
  return name;
}

function sqlState(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Serialisation failure and deadlock: the whole transaction may simply be run again. */
function isRetryable(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error));
}

/** The server is away, going away, or not taking more connections. */
function isConnectionLoss(error: unknown): boolean {
  const state = sqlState(error);
  return state.startsWith("08") || ["57P01", "57P02", "57P03", "53300"].includes(state) ||
    /^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH)/.test(state) ||
    (error instanceof Error &&
      /connection terminated|connection error|timeout exceeded when trying/i.test(error.message));
}
