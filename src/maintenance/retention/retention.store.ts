import { sql } from "kysely";
import {
  type Dialect,
  type QueryBuilder,
  type Statement,
  statement,
} from "../../storage/statement.ts";
import { values } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { leastIdAt, type PassingTable, type RetainedTable } from "./retained.ts";

const ROWS_OF_JOB =
  "select 1 from job_rows as r where r.org_id = jobs.org_id and r.job_id = jobs.id";

interface Ended {
  table: string;
  key: string;
  only: string;
}

/** The expired rows: their organisation and key, in the order of their expiry. */
const ended: Record<PassingTable, Ended> = {
  claim_links: { table: "claim_links", key: "id", only: "" },
  claim_secrets: { table: "claims", key: "id", only: "and secret is not null" },
  email_links: { table: "email_links", key: "id", only: "" },
  idempotent_answers: { table: "idempotent_answers", key: "scope", only: "" },
  mail_counts: { table: "mail_counts", key: "address", only: "" },
  oauth_tokens: { table: "oauth_tokens", key: "hash", only: "" },
  provider_grants: { table: "provider_grants", key: "id", only: "" },
  sessions: { table: "sessions", key: "id", only: "" },
  sign_in_codes: { table: "sign_in_codes", key: "hash", only: "" },
  sso_nonces: { table: "sso_nonces", key: "hash", only: "" },
  developer_sessions: { table: "developer_sessions", key: "id", only: "" },
  developer_codes: { table: "developer_codes", key: "id", only: "" },
  developer_links: { table: "developer_links", key: "hash", only: "" },
  developer_tokens: { table: "developer_tokens", key: "id", only: "" },
  developer_invitations: { table: "developer_invitations", key: "id", only: "" },
  person_invitations: { table: "person_invitations", key: "id", only: "" },
  passkey_challenges: { table: "passkey_challenges", key: "hash", only: "" },
  sign_in_places: { table: "sign_in_places", key: "id", only: "" },
  alerts: { table: "alerts", key: "object_id", only: "" },
  alert_mutes: { table: "alert_mutes", key: "object_id", only: "" },
  job_links: { table: "job_links", key: "id", only: "" },
  job_rows: { table: "jobs", key: "id", only: `and exists (${ROWS_OF_JOB})` },
  jobs: { table: "jobs", key: "id", only: `and not exists (${ROWS_OF_JOB})` },
  ended_keys: { table: "ended_keys", key: "key_id", only: "" },
  deleted_developers: { table: "deleted_developers", key: "id", only: "" },
  ended_counts: { table: "ended_counts", key: "token_id", only: "" },
  elevations: { table: "elevations", key: "id", only: "and ended_at is not null" },
};

/** Rows of one transaction: short enough for no one to wait. */
export const AT_ONCE = 200;

function some(of: PassingTable, now: unknown, dialect: Dialect, limit: number) {
  const { table, key, only } = ended[of];
  // Rows that another node purges, or a call uses at this moment, are skipped.
  const lock = sql.raw(dialect === "postgres" ? "for update skip locked" : "");
  return sql`select org_id, ${sql.ref(key)} from ${sql.table(table)}
    where expires_at <= ${now} ${sql.raw(only)} order by expires_at
    limit ${sql.lit(limit)} ${lock}`;
}

const passing = (of: PassingTable) => ({
  find: raw<{ now: string }, { org_id: string }>((p) => some(of, p.now, "sqlite", 1)),
  remove: raw<{ now: string }, unknown>((p, dialect) => {
    if (of === "job_rows") return removeRowsOfJobs(p.now, dialect);
    const { table, key } = ended[of];
    const change = of === "claim_secrets"
      ? sql`update claims set secret = null, email = null`
      : sql`delete from ${sql.table(table)}`;
    return sql`${change} where (org_id, ${sql.ref(key)}) in (${some(of, p.now, dialect, AT_ONCE)})`;
  }),
  count: raw<{ now: string }, { n: number }>((p) =>
    sql`select count(*) as n from ${sql.table(ended[of].table)}
      where expires_at <= ${p.now} ${sql.raw(ended[of].only)}`
  ),
});

/** Of jobs that are over, some rows. */
function removeRowsOfJobs(now: unknown, dialect: Dialect) {
  const lock = sql.raw(dialect === "postgres" ? "for update of r skip locked" : "");
  return sql`delete from job_rows where (org_id, job_id, n) in (
    select r.org_id, r.job_id, r.n from jobs as j
      inner join job_rows as r on r.org_id = j.org_id and r.job_id = j.id
      where j.expires_at <= ${now} order by j.expires_at limit ${sql.lit(AT_ONCE)} ${lock})`;
}

const passingSql = {
  claim_links: passing("claim_links"),
  claim_secrets: passing("claim_secrets"),
  email_links: passing("email_links"),
  idempotent_answers: passing("idempotent_answers"),
  mail_counts: passing("mail_counts"),
  oauth_tokens: passing("oauth_tokens"),
  provider_grants: passing("provider_grants"),
  sessions: passing("sessions"),
  sign_in_codes: passing("sign_in_codes"),
  sso_nonces: passing("sso_nonces"),
  developer_sessions: passing("developer_sessions"),
  developer_codes: passing("developer_codes"),
  developer_links: passing("developer_links"),
  developer_tokens: passing("developer_tokens"),
  developer_invitations: passing("developer_invitations"),
  person_invitations: passing("person_invitations"),
  passkey_challenges: passing("passkey_challenges"),
  sign_in_places: passing("sign_in_places"),
  alerts: passing("alerts"),
  alert_mutes: passing("alert_mutes"),
  job_links: passing("job_links"),
  job_rows: passing("job_rows"),
  jobs: passing("jobs"),
  ended_keys: passing("ended_keys"),
  deleted_developers: passing("deleted_developers"),
  ended_counts: passing("ended_counts"),
  elevations: passing("elevations"),
};

/** Whether anything of this kind has ended. */
export async function hasEnded(db: Connection, of: PassingTable, now: string): Promise<boolean> {
  return await db.row(passingSql[of].find, { now }) !== undefined;
}

/** How much of this kind has ended. */
export async function countEnded(db: Connection, of: PassingTable, now: string): Promise<number> {
  return Number((await db.row(passingSql[of].count, { now }))?.n ?? 0);
}

/** Removes up to 200 of what ended first, of whichever organisation; gives how many went. */
export async function removeEnded(tx: Tx, of: PassingTable, now: string): Promise<number> {
  return await tx.change(passingSql[of].remove, { now });
}

/** Rows of an organisation before a day: behind `behind`, up to a limit. */
type OldParams = { org_id: string; before: string; behind: string };

/**
 * A one-time link goes by its creation, once it is over; the others by their ids, which begin with
 * their second. Rows that have yet to be delivered stay, however old they are.
 */
function oldRows(of: RetainedTable, p: OldParams) {
  return of === "claims"
    ? sql`where org_id = ${p.org_id} and created_at < ${p.before} and expires_at < ${p.before}`
    : sql`where org_id = ${p.org_id} and id < ${p.before} and id > ${p.behind}
      ${sql.raw(settled[of])}`;
}

const settled: Record<Exclude<RetainedTable, "claims">, string> = {
  audit_events: "",
  outbox_events: "and (position is null or fanned is not null)",
  deliveries: "and ended_at is not null",
};

const orderOf = (of: RetainedTable) => sql.raw(of === "claims" ? "created_at, id" : "id");

const oldIds = (of: RetainedTable) =>
  variants((limit: number) =>
    raw<OldParams, { id: string }>((p, dialect) =>
      sql`select id from ${sql.table(of)} ${oldRows(of, p)} order by ${orderOf(of)}
        limit ${sql.lit(limit)} ${sql.raw(dialect === "postgres" ? "for update skip locked" : "")}`
    )
  );

const oldCount = (of: RetainedTable) =>
  raw<OldParams, { n: number }>((p) =>
    sql`select count(*) as n from ${sql.table(of)} ${oldRows(of, p)}`
  );

/** Ids of one statement; a shorter list repeats its last. */
const LISTED = 50;

const removeIds = (of: RetainedTable) =>
  raw<Record<string, string>, unknown>((p) =>
    sql`delete from ${sql.table(of)} where org_id = ${p.org_id} and id in (${
      sql.join(Array.from({ length: LISTED }, (_, i) => sql`${p[`id${i}`]}`))
    })`
  );

const removeTriesSql = raw<Record<string, string>, unknown>((p) =>
  sql`delete from delivery_attempts where org_id = ${p.org_id} and delivery_id in (${
    sql.join(Array.from({ length: LISTED }, (_, i) => sql`${p[`id${i}`]}`))
  })`
);

const deadSql = raw<Record<string, string>, { n: number }>((p) =>
  sql`select count(*) as n from deliveries where org_id = ${p.org_id} and state = 'dead' and id in (${
    sql.join(Array.from({ length: LISTED }, (_, i) => sql`${p[`id${i}`]}`))
  })`
);

const oldDeadSql = raw<{ org_id: string; before: string }, { n: number }>((p) =>
  sql`select count(*) as n from deliveries
    where org_id = ${p.org_id} and state = 'dead' and id < ${p.before}`
);

const oldSql = {
  outbox_events: {
    ids: oldIds("outbox_events"),
    count: oldCount("outbox_events"),
    remove: removeIds("outbox_events"),
  },
  deliveries: {
    ids: oldIds("deliveries"),
    count: oldCount("deliveries"),
    remove: removeIds("deliveries"),
  },
  claims: { ids: oldIds("claims"), count: oldCount("claims"), remove: removeIds("claims") },
};

const oldEventsSql = oldCount("audit_events");

/** The tables that are purged row by row: of the audit log a range is cut. */
type RowByRow = Exclude<RetainedTable, "audit_events">;

const params = (of: RetainedTable, org_id: string, before: string, behind = ""): OldParams => ({
  org_id,
  before: of === "claims" ? before : leastIdAt(before),
  behind,
});

/** How many rows an organisation has from before a day. */
export async function countOld(
  db: Connection,
  of: RetainedTable,
  org_id: string,
  before: string,
): Promise<number> {
  const count = of === "audit_events" ? oldEventsSql : oldSql[of].count;
  return Number((await db.row(count, params(of, org_id, before)))?.n ?? 0);
}

const oldWaitingSql = statement<{ org_id: string; before: string }>()<{ n: number }>((
  db,
  p,
  dialect,
) => ({
  compile: () =>
    sql<{ n: number }>`select count(*) as n
      from audit_events ${sql.raw(dialect === "sqlite" ? "indexed by audit_events_waiting" : "")}
      where leaf_index is null and org_id = ${p.org_id} and id < ${p.before}`.compile(db),
}));

/** How many rows of an organisation's audit log from before a day wait for the log. */
export async function countOldWaiting(
  db: Connection,
  org_id: string,
  before: string,
): Promise<number> {
  const row = await db.row(oldWaitingSql, { org_id, before: leastIdAt(before) });
  return Number(row?.n ?? 0);
}

const firstOld = {
  outbox_events: first("outbox_events"),
  deliveries: first("deliveries"),
  claims: first("claims"),
};

function first(of: RetainedTable) {
  return raw<OldParams, { id: string }>((p) =>
    sql`select id from ${sql.table(of)} ${oldRows(of, p)} order by ${orderOf(of)} limit ${
      sql.lit(1)
    }`
  );
}

const firstLeafSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("trail_leaves").select("event_id").where("org_id", "=", p.org_id)
    .orderBy("leaf_index").limit(sql.lit(1))
);

/**
 * Whether an organisation has rows from before a day. Of the audit log goes what is in its log,
 * from its beginning.
 */
export async function hasOld(
  db: Connection,
  of: RetainedTable,
  org_id: string,
  before: string,
): Promise<boolean> {
  if (of === "audit_events") {
    const first = await db.row(firstLeafSql, { org_id });
    return first !== undefined && first.event_id < leastIdAt(before);
  }
  return await db.row(firstOld[of], params(of, org_id, before)) !== undefined;
}

/**
 * The ids of up to 200 of an organisation's oldest rows from before a day, held until the
 * transaction ends.
 */
export async function lockOld(
  tx: Tx,
  of: RowByRow,
  org_id: string,
  before: string,
): Promise<string[]> {
  const rows = await tx.rows(oldSql[of].ids(AT_ONCE), params(of, org_id, before));
  return rows.map(({ id }) => id);
}

/**
 * How many messages of an organisation from before a day were given up: no one will ever get them.
 */
export async function countOldDead(
  db: Connection,
  org_id: string,
  before: string,
): Promise<number> {
  return Number((await db.row(oldDeadSql, { org_id, before: leastIdAt(before) }))?.n ?? 0);
}

/** How many of these deliveries were given up. */
export async function countDead(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<number> {
  let dead = 0;
  for (const values of batchesOf(org_id, ids)) {
    dead += Number((await tx.row(deadSql, values))?.n ?? 0);
  }
  return dead;
}

/** Deletes exactly these rows; gives how many there were. */
export async function removeRows(
  tx: Tx,
  of: RowByRow,
  org_id: string,
  ids: readonly string[],
): Promise<number> {
  let removed = 0;
  for (const values of batchesOf(org_id, ids)) {
    if (of === "deliveries") await tx.change(removeTriesSql, values);
    removed += await tx.change(oldSql[of].remove, values);
  }
  return removed;
}

/** The parameters of statements on LISTED ids each. */
function batchesOf(org_id: string, ids: readonly string[]): Record<string, string>[] {
  const batches = [];
  for (let from = 0; from < ids.length; from += LISTED) {
    const some = ids.slice(from, from + LISTED);
    const named = Array.from({ length: LISTED }, (_, i) => [`id${i}`, some[i] ?? some[0] ?? ""]);
    batches.push({ org_id, ...Object.fromEntries(named) });
  }
  return batches;
}

/** The ids of all organisations. */
export const organisationIds = values((db) =>
  db.selectFrom("organisations").select("id").orderBy("id")
);

/** A statement out of SQL text that the builder has no words for. */
function raw<P extends { [K in keyof P]: string }, R>(
  make: (p: P, dialect: Dialect) => ReturnType<typeof sql>,
): Statement<P, R> {
  return statement<P>()<R>((db: QueryBuilder, p, dialect) => ({
    // as: the text itself names the columns.
    compile: () => (make(p, dialect) as ReturnType<typeof sql<R>>).compile(db),
  }));
}
