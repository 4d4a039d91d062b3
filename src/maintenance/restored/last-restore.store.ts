import { newestEvent } from "../../changes/audit-events.store.ts";
import type { Connection } from "../../storage/storage.ts";

/** The audit log's event of a restored store in the first organisation. */
export const RESTORED = { action: "store.restored", object: "store", object_id: "restore" };

/** The data of the newest restore. */
interface LastRestore {
  readonly at: string;
  readonly known: boolean;
  readonly reopened: boolean;
  readonly counts: Readonly<Record<string, number>>;
}

/** The newest known restore; undefined: none. */
export async function lastRestore(
  db: Connection,
  org_id: string,
): Promise<LastRestore | undefined> {
  const event = await newestEvent(db, { org_id, ...RESTORED });
  // as: finishRestore writes it so.
  return event && JSON.parse(event.detail) as LastRestore;
}
