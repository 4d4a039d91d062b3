import type { AppliedStep } from "../migrate.ts";
import type { Connection } from "../storage.ts";
import {
  isDamage as isPostgresDamage,
  isMissing as isMissingInPostgres,
} from "./postgres-errors.ts";
import { isDamage as isSqliteDamage } from "./sqlite-connection.ts";

/** A store, or a copy of one, that is looked at: nothing is changed, and no one waits for it. */
export interface Inspection {
  readonly connection: Connection;
  /**
   * The steps of the schema that it has had; none: it is no store of ours. Throws where that can't
   * be read.
   */
  steps(): Promise<AppliedStep[]>;
  /** Problems that the engine itself finds in pages, tables and indexes. Throws its errors. */
  problems(): AsyncGenerator<string, void, void>;
  /** Runs `work` while what is read stays as it was at its beginning, whoever writes. */
  frozen<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Whether an error of either engine says that what it read is damaged. */
export function isStoreDamage(error: unknown): error is Error {
  return isSqliteDamage(error) || isPostgresDamage(error);
}

/** Whether an error of either engine says that a table or column that was asked for is absent. */
export function isMissing(error: unknown): boolean {
  if (isMissingInPostgres(error)) return true;
  return error instanceof Error && /^no such (table|column)\b/.test(error.message);
}

/** `frozen`, of what runs SQL: `begin` is how this engine begins such a transaction. */
export function frozenBy(exec: (sql: string) => unknown, begin: string) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    await exec(begin);
    try {
      return await work();
    } finally {
      await exec("rollback");
    }
  };
}
