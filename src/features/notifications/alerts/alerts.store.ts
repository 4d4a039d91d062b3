import { sql } from "kysely";
import { leaseIn } from "../../../storage/lease.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { statement } from "../../../storage/statement.ts";
import { change, changed, numberOf, one, value } from "../../../storage/statement-functions.ts";
import { puts } from "../../../storage/table-statements.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import { renewedBySql } from "../../certificates/certificate-renewals.store.ts";
import { type AlertObject, type AlertRules, type Place, USUAL } from "./alert.ts";

/** Objects of one transaction: short enough for no one to wait. */
export const NOTIFIED_AT_ONCE = 100;

/** The right to look for what ends. */
export const alertLease = leaseIn("alert_lease", 30_000);

/** The next organisation behind this one, or undefined. */
export const nextOrganisation = value((db, p: { behind: string }) =>
  db.selectFrom("organisations").select("id").where("id", ">", p.behind).orderBy("id")
    .limit(sql.lit(1))
);

const settingsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("alert_settings").select(["days", "at_end"]).where("org_id", "=", p.org_id)
);

/** When an organisation gets alerts of expiry. */
export async function rulesOf(db: Connection, org_id: string): Promise<AlertRules> {
  const row = await db.row(settingsSql, { org_id });
  // as: setRules writes a list of numbers.
  return row ? { days: JSON.parse(row.days) as number[], at_end: Number(row.at_end) === 1 } : USUAL;
}

const setRulesSql = statement<{ org_id: string; days: string; at_end: number }>()((db, p) =>
  db.insertInto("alert_settings").values({ org_id: p.org_id, days: p.days, at_end: p.at_end })
    .onConflict((conflict) =>
      conflict.column("org_id").doUpdateSet({ days: p.days, at_end: p.at_end })
    )
);

/** Sets when an organisation gets alerts of expiry. */
export async function setRules(tx: Tx, org_id: string, rules: AlertRules): Promise<void> {
  const days = JSON.stringify(rules.days);
  await tx.change(setRulesSql, { org_id, days, at_end: rules.at_end ? 1 : 0 });
}

type ProgressRow = StoredRow<"alert_progress">;

const progressSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("alert_progress").select(["object", "days", "ends_at", "tie"])
    .where("org_id", "=", p.org_id)
);

/** How far an organisation's rules have come. */
export async function progressOf(
  db: Connection,
  org_id: string,
): Promise<Omit<ProgressRow, "org_id">[]> {
  const rows = await db.rows(progressSql, { org_id });
  return rows.map((row) => ({ ...row, days: Number(row.days) }));
}

/** The day, and the key of that day, up to which reviews were reported; empty: none. */
export async function reviewPlace(
  db: Connection,
  org_id: string,
): Promise<{ review_at: string; key_id: string }> {
  const row = (await progressOf(db, org_id)).find(({ object }) => object === "review");
  return { review_at: row?.ends_at ?? "", key_id: row?.tie ?? "" };
}

/** Notes how far a rule has come. */
export const setProgress = change(puts("alert_progress"));

/** Forgets how far a rule has come that is no more: should it come back, it begins as a new one. */
export const dropProgress = change((db, p: { org_id: string; days: number }) =>
  db.deleteFrom("alert_progress").where("org_id", "=", p.org_id).where("days", "=", p.days)
    .where("object", "<>", sql.lit("start")).where("object", "<>", sql.lit("review"))
);

/** An expiring object, with the reasons that may keep it quiet. */
export interface EndingRow extends Place {
  object_id: string;
  renewed_by: string | null;
  muted_until: string | null;
  muted_by: string | null;
  /** Of a key alone. */
  name?: string | null;
  request_id?: string | null;
  issued_at?: string;
}

type Range = { org_id: string; from: string; to: string; now: string };

const certificatesSql = statement<Range & { tie: number }>()<EndingRow>((db, p) => ({
  compile: () => {
    // Each kind walks its own index; the engine merges what is left of each.
    const arms = [0, 1, 2, 3].map((kind) =>
      sql`select * from (select fingerprint, position, not_after, renewal_names from certificates
        where org_id = ${p.org_id} and kind = ${sql.lit(kind)}
          and (not_after, position) > (${p.from}, ${p.tie}) and not_after <= ${p.to}
          and not_after >= not_before
        order by not_after, position limit ${sql.lit(NOTIFIED_AT_ONCE)}) as k${sql.lit(kind)}`
    );
    return sql<EndingRow>`
      select ${p.org_id} || c.fingerprint as object_id, c.not_after as ends_at,
        c.position as tie, m.expires_at as muted_until, m.muted_by as muted_by, 
        ${renewedBySql({ org_id: p.org_id, now: p.now })} as renewed_by
      from (${sql.join(arms, sql` union all `)}
        order by not_after, position limit ${sql.lit(NOTIFIED_AT_ONCE)}) as c
      left join alert_mutes as m on m.org_id = ${p.org_id} and m.object = 'certificate'
        and m.object_id = ${p.org_id} || c.fingerprint and m.expires_at > ${p.now}
      order by c.not_after, c.position`.compile(db);
  },
}));

const keysSql = statement<Range & { tie: string }>()<EndingRow>((db, p) => ({
  compile: () =>
    sql<EndingRow>`
      select c.key_id as object_id, c.expires_at as ends_at, c.key_id as tie,
        m.expires_at as muted_until, m.muted_by as muted_by, c.replaced_by as renewed_by,
        c.name as name, c.request_id as request_id, c.issued_at as issued_at
      from credentials as c
      left join alert_mutes as m on m.org_id = ${p.org_id} and m.object = 'key'
        and m.object_id = c.key_id and m.expires_at > ${p.now}
      where c.org_id = ${p.org_id} and c.expires_at is not null and c.state <> 'revoked'
        and (c.expires_at, c.key_id) > (${p.from}, ${p.tie}) and c.expires_at <= ${p.to}
      order by c.expires_at, c.key_id limit ${sql.lit(NOTIFIED_AT_ONCE)}`.compile(db),
}));

/**
 * The first objects behind a place that end at `to` or before, up to NOTIFIED_AT_ONCE. Revoked keys
 * have ended already.
 */
export async function endingBehind(
  db: Connection,
  object: AlertObject,
  org_id: string,
  { from, to, now }: { from: Place; to: string; now: string },
): Promise<EndingRow[]> {
  const range = { org_id, from: from.ends_at, to, now };
  if (object === "key") return await db.rows(keysSql, { ...range, tie: from.tie });
  const rows = await db.rows(certificatesSql, { ...range, tie: Number(from.tie) });
  return rows.map((row) => ({
    ...row,
    tie: String(row.tie),
    renewed_by: row.renewed_by === null ? null : org_id + row.renewed_by,
  }));
}

/** How many keys that are not revoked end at this time or before. */
export const countKeysEnding = numberOf((db, p: { org_id: string; to: string }) =>
  db.selectFrom("credentials").select(sql<number>`count(*)`.as("n"))
    .where("org_id", "=", p.org_id).where("expires_at", "is not", null)
    .where("state", "<>", sql.lit("revoked")).where("expires_at", "<=", p.to)
);

/** The newest alert of an object. */
type AlertRow = StoredRow<"alerts">;

/** Notes what became of an object's newest alert. */
export const noteAlert = change(puts("alerts"));

type OfObject = { org_id: string; object: AlertObject; object_id: string };

const alertSql = statement<OfObject>()((db, p) =>
  db.selectFrom("alerts").select(["days", "ends_at", "at", "outcome", "reason", "event_id"])
    .where("org_id", "=", p.org_id).where("object", "=", p.object)
    .where("object_id", "=", p.object_id)
);

/** The newest alert of an object, or undefined. */
export async function findAlert(db: Connection, of: OfObject) {
  const row = await db.row(alertSql, { ...of });
  return row && { ...row, days: Number(row.days) };
}

/** Lifts an object's mute; false: it has none. */
export const removeMute = changed((db, p: OfObject & { now: string }) =>
  db.deleteFrom("alert_mutes").where("org_id", "=", p.org_id).where("object", "=", p.object)
    .where("object_id", "=", p.object_id).where("expires_at", ">", p.now)
);

/** The data of a key that decide about its alerts, or undefined. */
export const findEndOfKey = one((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("credentials").select(["state", "expires_at", "replaced_by", "plans"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

const userSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("users").select("name").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A person's name, or their id where no one is known by it. */
export async function nameOfPerson(db: Connection, org_id: string, id: string): Promise<string> {
  return (await db.row(userSql, { org_id, id }))?.name ?? id;
}
