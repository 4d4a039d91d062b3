import { defineTransaction } from "../../../storage/storage.ts";
import { findGone, type KeyOwner, nameOf } from "../../verification/usage/usage.transactions.ts";
import {
  addShadowRow,
  type DifferenceRow,
  insertDifference,
  type ShadowRow,
  trimDifferences,
} from "./shadow-calls.store.ts";

/** Differences that are kept of one key, and of all that no one knows. */
const MOST_OF_A_KEY = 100;
const MOST_UNKNOWN = 10_000;

/**
 * Adds observed calls to those that are there, whoever noticed them, and keeps single differences,
 * of each key the newest. Rows and owners must be sorted, so that two nodes can't deadlock. A key
 * that went with its developer meanwhile gets none. No audit row: no one decided anything.
 */
export const addShadowCalls = defineTransaction(
  "meter.add-observed",
  async (tx, { rows, owners, differences }: {
    rows: ShadowRow[];
    owners: KeyOwner[];
    differences: DifferenceRow[];
  }) => {
    const gone = await findGone(tx, owners);
    const isGone = (org_id: string, key_id: string) =>
      gone.has(nameOf({ org_id, kind: "key", object_id: key_id }));
    for (const row of rows) {
      if (row.kind === "key" && isGone(row.org_id, row.object_id)) continue;
      await addShadowRow(tx, row);
    }
    const keys = new Map<string, { org_id: string; key_id: string }>();
    for (const row of differences) {
      const { org_id, key_id, developer_id } = row;
      if (isGone(org_id, key_id)) continue;
      const hasOwner = !gone.has(nameOf({ org_id, kind: "developer", object_id: developer_id }));
      await insertDifference(tx, hasOwner ? row : { ...row, developer_id: "" });
      keys.set(org_id + key_id, { org_id, key_id });
    }
    for (const [, key] of [...keys].sort(([a], [b]) => a < b ? -1 : 1)) {
      await trimDifferences(tx, key, key.key_id === "" ? MOST_UNKNOWN : MOST_OF_A_KEY);
    }
  },
);
