import type { Tx } from "../../storage/storage.ts";
import { lockStoredDeveloper } from "../developers/developers.store.ts";
import { type RevisedColumns, revisions } from "./revision.ts";
import { termsOf } from "./stored-request.ts";

/**
 * The revision of a request that this transaction holds. Its developer is held from here on too, so
 * that what was seen of them is what is decided on.
 */
export async function lockedRevision(
  tx: Tx,
  org_id: string,
  row: Omit<RevisedColumns, "developer" | "developer_known">,
): Promise<string> {
  const developer = await lockStoredDeveloper(tx, org_id, termsOf(row).by_user);
  const known = { developer: developer?.document ?? null, developer_known: developer ? 1 : 0 };
  return (await revisions())({ ...row, ...known });
}
