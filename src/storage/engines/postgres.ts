import { sql } from "kysely";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Statement } from "../statement.ts";
import { statement } from "../statement.ts";
import type { Connection, Storage } from "../storage.ts";
import { type DamageListener, tellingOf } from "./damage-listener.ts";
import { clientOptions } from "./postgres-client.ts";
import { purgeMarks } from "./postgres-commits.store.ts";
import { connectionOn } from "./postgres-connection.ts";
import { isBusy, isConflict, isConnectionLoss, isDamage, isReadOnly } from "./postgres-errors.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { PostgresServers } from "./postgres-servers.ts";
import { PostgresTransactions } from "./postgres-transactions.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

const selectOne = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("version").limit(sql.lit(1))
);

/** Marks are asked for within seconds. */
const MARKS_KEPT_MS = 24 * 60 * 60 * 1000;
/** A statement outside of a transaction is asked so often at the most. */
const READ_ATTEMPTS = 4;

/** A Storage on a migrated PostgreSQL. Throws when no server of the URL takes writes. */
export async function postgresStorage(
  url: string,
  sealer: Sealer,
  limits: PostgresLimits,
  onDamage: DamageListener,
): Promise<Storage> {
  const told = tellingOf(onDamage);
  const target = parsePostgresUrl(url);
  const optionsOf = await clientOptions(target, limits);
  const servers = new PostgresServers(target.servers, optionsOf, limits);
  const transactions = new PostgresTransactions(servers, sealer, limits.patienceMs);
  const reader = readerOn(servers, limits.patienceMs, told);
  try {
    await reader.change(purgeMarks, { before: toTimestamp(Date.now() - MARKS_KEPT_MS) });
  } catch (error) {
    await servers.close();
    throw error;
  }
  let commits = 0;
  let closed = false;
  const underWay = new Set<Promise<unknown>>();
  return {
    reader,
    commit: async (transaction, input) => {
      if (closed) throw new Failure("unavailable");
      const running = transactions.commit(transaction, input);
      underWay.add(running);
      try {
        const output = await running;
        commits++;
        return output;
      } catch (error) {
        throw told(error);
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
      await Promise.allSettled(underWay);
      await servers.close();
    },
  };
}

/** Each statement by itself, asked again where it may not have been answered: use it for what may be done twice. */
function readerOn(
  servers: PostgresServers,
  patienceMs: number,
  told: (error: unknown) => unknown,
): Connection {
  const run = async <T>(question: (connection: Connection) => Promise<T>): Promise<T> => {
    const deadline = performance.now() + patienceMs;
    for (let attempt = 1;; attempt++) {
      const lease = await servers.lease();
      try {
        const answer = await question(connectionOn(lease));
        lease.release();
        return answer;
      } catch (error) {
        const isLost = isConnectionLoss(error);
        if (isLost || isReadOnly(error)) await servers.failed(lease, error);
        if (isLost) lease.discard();
        else lease.release();
        if (isBusy(error)) throw new Failure("unavailable", { cause: error });
        if (isDamage(error)) throw told(new Failure("store_damaged", { cause: error }));
        if (!isLost && !isReadOnly(error) && !isConflict(error)) throw error;
        if (attempt === READ_ATTEMPTS || performance.now() > deadline) {
          throw new Failure("unavailable", { cause: error });
        }
      }
    }
  };
  return {
    dialect: "postgres",
    rows: <P extends object, R>(s: Statement<P, R>, params: P) =>
      run((connection) => connection.rows(s, params)),
    row: <P extends object, R>(s: Statement<P, R>, params: P) =>
      run((connection) => connection.row(s, params)),
    change: (s, params) => run((connection) => connection.change(s, params)),
  };
}
