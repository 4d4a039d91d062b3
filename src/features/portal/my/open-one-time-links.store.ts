import { sql } from "kysely";
import { all } from "../../../storage/statement-functions.ts";
import type { Connection } from "../../../storage/storage.ts";

/** The open one-time links of a key at `now`, in no order: an order by id leads past the index. */
export const openOneTimeLinksOfKey = all((db, p: { org_id: string; key_id: string; now: string }) =>
  db.selectFrom("claims").select(["id", "request_id"])
    .where("org_id", "=", p.org_id)
    // Said in words that the partial index has.
    .where("key_id", "=", p.key_id).where("key_id", "<>", sql.lit(""))
    .where("state", "=", sql.lit("open")).where("expires_at", ">", p.now)
);

const everyOneTimeLinkOfKey = all((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("claims").select(["id", "request_id", "state", "expires_at"])
    .where("org_id", "=", p.org_id)
    .where("key_id", "=", p.key_id).where("key_id", "<>", sql.lit(""))
    .limit(sql.lit(100))
);

/**
 * The one-time links of a key that no one opened in time, the last to end last. None where one of
 * them was opened, withdrawn or can be opened still: then the key is a person's, or no one's.
 */
export async function lapsedOneTimeLinksOfKey(
  db: Connection,
  { org_id, key_id, now }: { org_id: string; key_id: string; now: string },
) {
  const oneTimeLinks = await everyOneTimeLinkOfKey(db, { org_id, key_id });
  const haveLapsed = oneTimeLinks.every((one) => one.state === "open" && one.expires_at <= now);
  return haveLapsed ? oneTimeLinks.toSorted((a, b) => (a.expires_at < b.expires_at ? -1 : 1)) : [];
}
