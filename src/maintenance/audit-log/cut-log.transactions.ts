import { toTimestamp } from "../../kernel/clock.ts";
import { Frontier } from "../../../packages/audit-log/merkle.ts";
import type { Tx } from "../../storage/storage.ts";
import { originOf } from "./leaf.ts";
import { signedBy, usableKey } from "./signing-key.ts";
import {
  auditLogKeys,
  firstOldLeaves,
  firstUnsentPlace,
  keepCheckpoint,
  lockLog,
  removeBefore,
  saveLog,
} from "./logs.store.ts";

/** The head of the tree of what was removed: with it, what is left can be verified. */
export interface Cut {
  size: number;
  /** Hex. */
  root: string;
}

/**
 * Removes the first entries of a log that are from before an id, with their rows: up to 200, or up
 * to the place `to`. The frontier of all that was ever removed stays, with a checkpoint of it. Rows
 * that wait for the log stay too, and so does what the audit log stream may lack, with all
 * behind it. Gives how many rows and entries went; no cut where none of its
 * first entries is old enough.
 */
export async function cutAuditLog(
  tx: Tx,
  org_id: string,
  { before, to }: { before: string; to?: number | undefined },
  now: number,
): Promise<{ rows: number; entries: number; cut: Cut | undefined }> {
  const log = await lockLog(tx, org_id);
  const leaves = (await firstOldLeaves(tx, org_id, { from: log.cut_size, before }))
    .filter(({ leaf_index }) => to === undefined || leaf_index < to);
  const unsentAt = tx.outlet &&
    await firstUnsentPlace(tx, org_id, { to: leaves.length + log.cut_size });
  const frontier = new Frontier(log.cut_size, log.cut_frontier);
  for (const { leaf_index, leaf_hash } of leaves) {
    // An entry that a person took out: what is behind it stays, so that it can be found.
    if (leaf_index !== frontier.size) break;
    // The stream has to have it first.
    if (leaf_index === unsentAt) break;
    frontier.add(leaf_hash);
  }
  const { size } = frontier;
  if (size === log.cut_size) return { rows: 0, entries: 0, cut: undefined };
  const root = frontier.root();
  const key = usableKey(await auditLogKeys(tx));
  const note = key && signedBy(key, tx.sealer, { origin: originOf(org_id), size, root });
  // An unsigned cut would count as removed by hand: it waits until a key is available.
  if (note === undefined) return { rows: 0, entries: 0, cut: undefined };
  const rows = await removeBefore(tx, { org_id, to: size });
  await saveLog(tx, { ...log, cut_size: size, cut_frontier: frontier.toString() });
  await keepCheckpoint(tx, { org_id, size, at: toTimestamp(now), note });
  return { rows, entries: size - log.cut_size, cut: { size, root } };
}
