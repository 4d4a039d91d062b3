import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { changed, held, values } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { EndedMinutes } from "./revoke-limit.ts";

type Place = { org_id: string; token_id: string };

const addSql = statement<Place & { expires_at: string }>()((db, p) =>
  db.insertInto("ended_counts").values({
    ...rowOf("ended_counts", p, "minutes", "told_at"),
    minutes: "[]",
    told_at: "",
  }).onConflict((conflict) => conflict.doNothing())
);

const lockSql = statement<Place>()(
  held((db, p) =>
    db.selectFrom("ended_counts").select(["minutes", "told_at"])
      .where("org_id", "=", p.org_id).where("token_id", "=", p.token_id)
  ),
);

/**
 * The keys that an access token has revoked of late, locked until the transaction ends; undefined
 * if it was purged just now.
 */
export async function lockEndedCount(
  tx: Tx,
  place: Place,
  expires_at: string,
): Promise<{ minutes: EndedMinutes; told_at: string } | undefined> {
  await tx.change(addSql, { ...place, expires_at });
  const row = await tx.row(lockSql, place);
  // as: setEndedCount wrote exactly this.
  return row && { minutes: JSON.parse(row.minutes) as EndedMinutes, told_at: row.told_at };
}

const othersSql = values((db, p: Place & { user_id: string }) =>
  db.selectFrom("access_tokens as t").innerJoin(
    "ended_counts as e",
    (join) => join.onRef("e.org_id", "=", "t.org_id").onRef("e.token_id", "=", "t.id"),
  )
    .select("e.minutes").where("t.org_id", "=", p.org_id).where("t.user_id", "=", p.user_id)
    .where("t.id", "<>", p.token_id)
);

/**
 * The keys that the other access tokens of its person revoked of late, including expired tokens.
 */
export async function findEndedByOthers(
  db: Connection,
  place: Place & { user_id: string },
): Promise<EndedMinutes[]> {
  // as: setEndedCount wrote exactly this.
  return (await othersSql(db, place)).map((minutes) => JSON.parse(minutes) as EndedMinutes);
}

const setSql = statement<Place & { minutes: string; expires_at: string }>()((db, p) =>
  db.updateTable("ended_counts").set({ minutes: p.minutes, expires_at: p.expires_at })
    .where("org_id", "=", p.org_id).where("token_id", "=", p.token_id)
);

/** Sets what an access token has ended; the transaction holds its row. */
export async function setEndedCount(
  tx: Tx,
  place: Place,
  minutes: EndedMinutes,
  expires_at: string,
): Promise<void> {
  await tx.change(setSql, { ...place, minutes: JSON.stringify(minutes), expires_at });
}

/** Notes that a person is notified, unless one was after `since`: a compare-and-set. */
export const markReported = changed((db, p: Place & { at: string; since: string }) =>
  db.updateTable("ended_counts").set({ told_at: p.at })
    .where("org_id", "=", p.org_id).where("token_id", "=", p.token_id)
    .where("told_at", "<=", p.since)
);
