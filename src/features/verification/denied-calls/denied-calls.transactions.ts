import { defineTransaction } from "../../../storage/storage.ts";
import { findGone, nameOf } from "../usage/usage.transactions.ts";
import type { NewDeniedCall } from "./denied-call.ts";
import { insertDeniedCall, trimKey } from "./denied-calls.store.ts";

/** Denied calls that are kept of one key, and of all that no one knows. */
export const MOST_OF_A_KEY = 100;
const MOST_UNKNOWN = 10_000;

/**
 * Keeps single denied calls, whoever noticed them, and of each key the newest. A developer who was
 * deleted meanwhile, with their keys, gets none. No audit row: no one decided anything.
 */
export const addDeniedCalls = defineTransaction(
  "denied-calls.add",
  async (tx, { calls }: { calls: NewDeniedCall[] }) => {
    const owners = calls.filter(({ developer_id }) => developer_id !== "")
      .map(({ org_id, developer_id, key_id }) => ({ org_id, developer_id, key_id }))
      .toSorted((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    const gone = await findGone(tx, owners);
    const keys = new Map<string, { org_id: string; key_id: string }>();
    for (const { facts, gateway: door, ...row } of calls) {
      const { org_id, key_id, developer_id } = row;
      if (gone.has(nameOf({ org_id, kind: "key", object_id: key_id }))) continue;
      const isGone = gone.has(nameOf({ org_id, kind: "developer", object_id: developer_id }));
      await insertDeniedCall(tx, {
        ...row,
        door,
        developer_id: isGone ? "" : developer_id,
        facts: JSON.stringify(facts),
      });
      keys.set(org_id + key_id, { org_id, key_id });
    }
    for (const [, key] of [...keys].sort(([a], [b]) => a < b ? -1 : 1)) {
      await trimKey(tx, key, key.key_id === "" ? MOST_UNKNOWN : MOST_OF_A_KEY);
    }
  },
);
