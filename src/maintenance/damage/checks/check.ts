import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import { isMissing } from "../../../storage/engines/inspection.ts";
import { migrations } from "../../../storage/migrations/list.ts";
import type { Connection } from "../../../storage/storage.ts";

/** A store that is checked: running, stopped or a copy. Nothing of it is changed. */
export interface CheckedStore {
  readonly connection: Connection;
  /** Undefined where no sealing key is at hand: what needs one is skipped. */
  readonly sealer: Sealer | undefined;
  /** Steps of the schema that it has had. */
  readonly schema: number;
  /**
   * Problems that the engine itself finds in the store's structure; empty: none. Throws its errors.
   */
  problems(): AsyncIterable<string>;
  /** Runs `work` while what is read stays as it was at its beginning, whoever writes. */
  frozen<T>(work: () => Promise<T>): Promise<T>;
}

/** The result of one check. */
export interface CheckFinding {
  /** `structure`, `checksums`, `counters`, `references`, `audit-log`, or another check's name. */
  readonly check: string;
  readonly result: "ok" | "warn" | "fail" | "skip";
  readonly text: string;
  /** The advice for everything that is not as it should be. */
  readonly advice?: string;
}

/** One check: what it finds, as it finds it. It keeps no more than a chunk of rows in memory. */
export type Check = (store: CheckedStore) => AsyncGenerator<CheckFinding, void, void>;

/** The advice for damage that only a copy repairs. */
export const RESTORE =
  "restore the newest copy that `keydesk check FILE` finds in order, or save what the engine's own tools can read";

/**
 * The finding where a store of an earlier schema lacks a table or column that is asked for, which
 * is no damage; undefined for every other error. `what`: what could not be looked at.
 */
export function notThereYet(
  { schema }: CheckedStore,
  error: unknown,
  check: string,
  what = "this release's checks",
): CheckFinding | undefined {
  if (schema >= (migrations.at(-1)?.version ?? 0) || !isMissing(error)) return undefined;
  const text = `schema ${schema} cannot be checked yet: ${what}`;
  return { check, result: "skip", text, advice: "check again once the store is up to date" };
}
