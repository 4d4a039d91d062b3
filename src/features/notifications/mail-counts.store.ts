import { toTimestamp } from "../../kernel/clock.ts";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { held } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import { HOUR_MS, type MailCount } from "./mail-count.ts";

type Place = { org_id: string; address: string };
type Row = Place & { sent: string; expires_at: string };

const addSql = statement<Row>()((db, p) =>
  db.insertInto("mail_counts").values(rowOf("mail_counts", p))
    .onConflict((conflict) => conflict.doNothing())
);

const lockSql = statement<Place>()(held((db, p) =>
  db.selectFrom("mail_counts").select("sent")
    .where("org_id", "=", p.org_id).where("address", "=", p.address)
));

const setSql = statement<Row>()((db, p) =>
  db.updateTable("mail_counts").set({ sent: p.sent, expires_at: p.expires_at })
    .where("org_id", "=", p.org_id).where("address", "=", p.address)
);

/** The mails of the last hour to an address, held until the transaction ends. */
export async function lockCount(tx: Tx, place: Place, now: number): Promise<MailCount> {
  const none: MailCount = { at: [], digest: 0 };
  await tx.change(addSql, stored(place, none, now));
  const row = await tx.row(lockSql, place);
  // as: setCount writes it.
  const { at, digest } = row ? JSON.parse(row.sent) as MailCount : none;
  return { at: at.filter((one) => one > now - HOUR_MS), digest };
}

/** Keeps the count of an address that the transaction holds. `until`: its last moment. */
export async function setCount(tx: Tx, place: Place, count: MailCount, until: number) {
  await tx.change(setSql, stored(place, count, until));
}

function stored({ org_id, address }: Place, count: MailCount, until: number): Row {
  return { org_id, address, sent: JSON.stringify(count), expires_at: toTimestamp(until) };
}
