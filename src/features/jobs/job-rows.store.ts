import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { pick, rowOf } from "../../storage/rows.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import { change, held, send } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

/** A key request of a job, with what became of it. */
type JobRequestRow = StoredRow<"job_rows">;

type OfJob = { org_id: string; job_id: string };
type Place = OfJob & { n: number };

/** Adds a row that has not had its turn; `was`: what it takes it back to. */
export const addRow = send((
  db,
  p: Place & { request_id: string; revision: string; was: string | null },
) =>
  db.insertInto("job_rows").values({
    ...rowOf("job_rows", p, "outcome", "code", "key_id", "claim_ends", "at"),
    outcome: sql.lit(""),
    code: sql.lit(""),
    key_id: sql.lit(""),
    claim_ends: null,
    at: null,
  })
);

const nextSql = variants((limit: number) =>
  statement<OfJob & { behind: number }>()((db, p) =>
    db.selectFrom("job_rows").select("n")
      .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id)
      .where("n", ">", p.behind).where("outcome", "=", sql.lit(""))
      .orderBy("n").limit(sql.lit(limit))
  )
);

/** The numbers of up to `limit` rows behind `behind` that have not had their turn. */
export async function nextRows(
  db: Connection,
  of: OfJob,
  behind: number,
  limit: number,
): Promise<number[]> {
  const { org_id, job_id } = of;
  const rows = await db.rows(nextSql(limit), { org_id, job_id, behind });
  return rows.map(({ n }) => Number(n));
}

const lockSql = statement<Place>()(
  held((db, p) =>
    db.selectFrom("job_rows").select(["request_id", "revision", "was"])
      .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id).where("n", "=", p.n)
      .where("outcome", "=", sql.lit(""))
  ),
);

/** A row that has not had its turn, held until the transaction ends; undefined: it has. */
export function lockRow(
  tx: Tx,
  place: Place,
): Promise<{ request_id: string; revision: string; was: string | null } | undefined> {
  const { org_id, job_id, n } = place;
  return tx.row(lockSql, { org_id, job_id, n });
}

/** The code of an approval that is done and made no key: others must say yes, too. */
export const STEP = "steps_missing";

/** The result of a row. */
type RowEnd = Pick<
  JobRequestRow,
  "outcome" | "code" | "key_id" | "claim_ends" | "at" | "was"
>;

/** Keeps what became of a row; nothing where it had its turn. */
export const endRow = change((db, p: Place & { [K in keyof RowEnd]: RowEnd[K] & SqlValue }) =>
  db.updateTable("job_rows").set(pick(p, "outcome", "code", "key_id", "claim_ends", "at", "was"))
    .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id).where("n", "=", p.n)
    .where("outcome", "=", sql.lit(""))
);

const countSql = statement<OfJob & { behind: number; to: number }>()((db, p) =>
  db.selectFrom("job_rows").select(["outcome", (eb) => eb.fn.countAll<number>().as("n")])
    .select(sql<number>`sum(case when code = ${sql.lit(STEP)} then 1 else 0 end)`.as("steps"))
    .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id)
    .where("n", ">", p.behind).where("n", "<=", p.to).groupBy("outcome")
);

/** How many rows behind `behind` up to `to` have each outcome, and how many were steps. */
export async function countOutcomes(
  tx: Tx,
  of: OfJob,
  behind: number,
  to: number,
): Promise<Record<JobRequestRow["outcome"] | "steps", number>> {
  const { org_id, job_id } = of;
  const rows = await tx.rows(countSql, { org_id, job_id, behind, to });
  const counts = { "": 0, done: 0, left_alone: 0, failed: 0, steps: 0 };
  for (const { outcome, n, steps } of rows) {
    counts[outcome] = Number(n);
    counts.steps += Number(steps);
  }
  return counts;
}

const doneSql = statement<OfJob & { behind: number; to: number }>()((db, p) =>
  db.selectFrom("job_rows").select("request_id")
    .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id)
    .where("n", ">", p.behind).where("n", "<=", p.to).where("outcome", "=", sql.lit("done"))
    .orderBy("n")
);

/** The key requests that a job decided among its rows behind `behind` up to `to`. */
export async function doneRows(
  db: Connection,
  of: OfJob,
  behind: number,
  to: number,
): Promise<string[]> {
  const { org_id, job_id } = of;
  const rows = await db.rows(doneSql, { org_id, job_id, behind, to });
  return rows.map(({ request_id }) => request_id);
}

const undoSql = statement<OfJob & { behind: number; to: number }>()((db, p) =>
  db.selectFrom("job_rows").select(["request_id", "was"])
    .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id)
    .where("n", ">", p.behind).where("n", "<=", p.to).where("outcome", "=", sql.lit("done"))
    .where("was", "is not", null).orderBy("n")
);

/** Of a job's rows behind `behind` up to `to`, what was changed, with what it was. */
export async function undoRows(
  db: Connection,
  of: OfJob,
  behind: number,
  to: number,
): Promise<{ request_id: string; was: string }[]> {
  const { org_id, job_id } = of;
  const rows = await db.rows(undoSql, { org_id, job_id, behind, to });
  return rows.flatMap(({ request_id, was }) => was === null ? [] : [{ request_id, was }]);
}

const plainSql = variants((limit: number) =>
  statement<OfJob & { behind: number }>()((db, p) =>
    db.selectFrom("job_rows").select(["n", "request_id", "outcome", "code", "key_id", "at"])
      .where("org_id", "=", p.org_id).where("job_id", "=", p.job_id)
      .where("n", ">", p.behind).orderBy("n").limit(sql.lit(limit))
  )
);

/** Up to `limit` rows of a job behind `behind`, whether they had their turn or not. */
export function rowsBehind(db: Connection, of: OfJob, behind: number, limit: number) {
  const { org_id, job_id } = of;
  return db.rows(plainSql(limit), { org_id, job_id, behind });
}

const rowsSql = variants((limit: number) =>
  statement<OfJob & { behind: number }>()((db, p) =>
    db.selectFrom("job_rows as j")
      .leftJoin("key_requests as r", (join) =>
        join.onRef("r.org_id", "=", "j.org_id").onRef("r.id", "=", "j.request_id"))
      .leftJoin("developers as d", (join) =>
        join.onRef("d.org_id", "=", "r.org_id").onRef("d.id", "=", "r.by_user"))
      .select(["j.n", "j.request_id", "j.outcome", "j.code", "j.key_id", "j.claim_ends", "j.at"])
      .select(["r.by_user", "r.for_plan", "d.email_key as email"])
      .where("j.org_id", "=", p.org_id).where("j.job_id", "=", p.job_id)
      .where("j.n", ">", p.behind).where("j.outcome", "<>", sql.lit(""))
      .orderBy("j.n").limit(sql.lit(limit))
  )
);

/**
 * Up to `limit` rows behind `behind` that had their turn, with whose they are and what for, where
 * that is still known.
 */
export function endedRows(db: Connection, of: OfJob, behind: number, limit: number) {
  const { org_id, job_id } = of;
  return db.rows(rowsSql(limit), { org_id, job_id, behind });
}

const keyRowsSql = variants((limit: number) =>
  statement<OfJob & { behind: number }>()((db, p) =>
    db.selectFrom("job_rows as j")
      .leftJoin("credentials as c", (join) =>
        join.onRef("c.org_id", "=", "j.org_id").onRef("c.key_id", "=", "j.request_id"))
      .leftJoin("developers as d", (join) =>
        join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"))
      .select(["j.n", "j.request_id", "j.outcome", "j.code", "j.key_id", "j.claim_ends", "j.at"])
      .select(["c.mask", "c.name", "c.developer_id", "c.plans", "d.email_key as email"])
      .where("j.org_id", "=", p.org_id).where("j.job_id", "=", p.job_id)
      .where("j.n", ">", p.behind).where("j.outcome", "<>", sql.lit(""))
      .orderBy("j.n").limit(sql.lit(limit))
  )
);

const developerRowsSql = variants((limit: number) =>
  statement<OfJob & { behind: number }>()((db, p) =>
    db.selectFrom("job_rows as j")
      .leftJoin("developers as d", (join) =>
        join.onRef("d.org_id", "=", "j.org_id").onRef("d.id", "=", "j.request_id"))
      .select(["j.n", "j.request_id", "j.outcome", "j.code", "j.key_id", "j.claim_ends", "j.at"])
      .select("d.email_key as email")
      .where("j.org_id", "=", p.org_id).where("j.job_id", "=", p.job_id)
      .where("j.n", ">", p.behind).where("j.outcome", "<>", sql.lit(""))
      .orderBy("j.n").limit(sql.lit(limit))
  )
);

/** The finished rows of a job over developers. */
export function endedDeveloperRows(db: Connection, of: OfJob, behind: number, limit: number) {
  const { org_id, job_id } = of;
  return db.rows(developerRowsSql(limit), { org_id, job_id, behind });
}

/** The finished rows of a job over keys. */
export function endedKeyRows(db: Connection, of: OfJob, behind: number, limit: number) {
  const { org_id, job_id } = of;
  return db.rows(keyRowsSql(limit), { org_id, job_id, behind });
}

const certificateRowsSql = variants((limit: number) =>
  statement<OfJob & { behind: number }>()((db, p) =>
    db.selectFrom("job_rows as j")
      .leftJoin("certificates as c", (join) =>
        join.onRef("c.org_id", "=", "j.org_id")
          .on(sql<boolean>`c.fingerprint = substr(j.request_id, length(j.org_id) + 1)`))
      .select(["j.n", "j.request_id", "j.outcome", "j.code", "j.key_id", "j.claim_ends", "j.at"])
      .select(["c.head", "c.tail", "c.details", "c.owner", "c.not_after"])
      .where("j.org_id", "=", p.org_id).where("j.job_id", "=", p.job_id)
      .where("j.n", ">", p.behind).where("j.outcome", "<>", sql.lit(""))
      .orderBy("j.n").limit(sql.lit(limit))
  )
);

/** The finished rows of a job over certificates. */
export function endedCertificateRows(db: Connection, of: OfJob, behind: number, limit: number) {
  const { org_id, job_id } = of;
  return db.rows(certificateRowsSql(limit), { org_id, job_id, behind });
}
