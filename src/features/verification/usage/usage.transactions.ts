import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import type { SeenGateway } from "../gateways/checking-gateways.store.ts";
import { noteGateway } from "../gateways/checking-gateways.store.ts";
import { addRow, isRevoked, lockDevelopers } from "./usage.store.ts";
import type { UsageRow } from "./usage.ts";

/** A key of the batch, and whose it is. */
export interface KeyOwner {
  org_id: string;
  developer_id: string;
  key_id: string;
}

/**
 * Adds counts to those that are there, whoever wrote them. Rows and owners must be sorted, so that
 * two nodes can't deadlock. A developer who was deleted meanwhile, with their keys, gets no more
 * counts; a key of theirs that was kept goes on by itself. `gateways`: when each was last heard of.
 * No audit row: no one decided anything.
 */
export const addUsage = defineTransaction(
  "usage.add",
  async (
    tx,
    { rows, owners, gateways = [] }: {
      rows: UsageRow[];
      owners: KeyOwner[];
      gateways?: SeenGateway[];
    },
  ) => {
    const gone = await findGone(tx, owners);
    for (const row of rows) {
      if (gone.size === 0 || !gone.has(nameOf(row))) await addRow(tx, row);
    }
    for (const gateway of gateways) await noteGateway(tx, gateway);
  },
);

/**
 * Which developers and keys are no longer counted. A developer or key that is not among them can't
 * be deleted before the commit.
 */
export async function findGone(tx: Tx, owners: readonly KeyOwner[]): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const [org_id, own] of Map.groupBy(owners, (owner) => owner.org_id)) {
    const ids = [...new Set(own.map(({ developer_id }) => developer_id))];
    const living = await lockDevelopers(tx, org_id, ids);
    for (const { developer_id, key_id } of own) {
      if (living.has(developer_id)) continue;
      gone.add(nameOf({ org_id, kind: "developer", object_id: developer_id }));
      if (await isRevoked(tx, { org_id, key_id })) {
        gone.add(nameOf({ org_id, kind: "key", object_id: key_id }));
      }
    }
  }
  return gone;
}

/** The name of things in `findGone`. */
export function nameOf(
  { org_id, kind, object_id }: Pick<UsageRow, "org_id" | "kind" | "object_id">,
) {
  return JSON.stringify([org_id, kind, object_id]);
}
