import { sql } from "kysely";
import { leaseIn } from "../../storage/lease.ts";
import { columnsOf, rowOf } from "../../storage/rows.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import { changed } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { JobRow } from "./job.ts";

/** The right to work on jobs, which one node has at a time. */
export const jobLease = leaseIn("job_lease", 5000);

const COLUMNS = columnsOf("jobs");

type Place = { org_id: string; id: string };

/** Adds a job. False where this person has one under way, and it is not small. */
export const insertJob = changed((db, p: JobRow) =>
  db.insertInto("jobs").values(rowOf("jobs", p)).onConflict((conflict) => conflict.doNothing())
);

const findSql = statement<Place>()((db, p) =>
  db.selectFrom("jobs").select(COLUMNS).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A job, or undefined. */
export async function findJob(
  db: Connection,
  org_id: string,
  id: string,
): Promise<JobRow | undefined> {
  return numbered(await db.row(findSql, { org_id, id }));
}

const lockSql = variants((how: "share" | "update") =>
  statement<Place>()((db, p, dialect) => {
    const query = db.selectFrom("jobs").select(COLUMNS)
      .where("org_id", "=", p.org_id).where("id", "=", p.id);
    // SQLite has one writer at a time and no such words.
    if (dialect === "sqlite") return query;
    return how === "share" ? query.forShare() : query.forUpdate();
  })
);

/**
 * A job that no one changes until the transaction ends. `share`: others may hold it at the same
 * time.
 */
export async function lockJob(
  tx: Tx,
  org_id: string,
  id: string,
  how: "share" | "update",
): Promise<JobRow | undefined> {
  return numbered(await tx.row(lockSql(how), { org_id, id }));
}

/** The changing columns of a job. */
type JobChange = Pick<
  JobRow,
  | ("selection" | "state" | "why" | "stopped_by" | "place" | "ended_at" | "expires_at")
  | ("total" | "settled" | "done" | "steps" | "left_alone" | "failed")
>;

const updateSql = statement<Place & { [K in keyof JobChange]: JobChange[K] & SqlValue }>()((
  db,
  p,
) =>
  db.updateTable("jobs").set({
    selection: p.selection,
    state: p.state,
    why: p.why,
    stopped_by: p.stopped_by,
    place: p.place,
    total: p.total,
    settled: p.settled,
    done: p.done,
    steps: p.steps,
    left_alone: p.left_alone,
    failed: p.failed,
    ended_at: p.ended_at,
    expires_at: p.expires_at,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Changes a job that the transaction holds; gives it as it is then. */
export async function updateJob(
  tx: Tx,
  row: JobRow,
  change: Partial<JobChange>,
): Promise<JobRow> {
  const whole = { ...row, ...change };
  const { org_id, id, selection, state, why, stopped_by, place, total, settled } = whole;
  const { done, steps, left_alone, failed, ended_at, expires_at } = whole;
  await tx.change(updateSql, {
    org_id,
    id,
    selection,
    state,
    why,
    stopped_by,
    place,
    total,
    settled,
    done,
    steps,
    left_alone,
    failed,
    ended_at,
    expires_at,
  });
  return whole;
}

const belowSql = variants((limit: number) =>
  statement<{ org_id: string; below: string }>()((db, p) =>
    db.selectFrom("jobs").select(COLUMNS)
      .where("org_id", "=", p.org_id).where("id", "<", p.below)
      .orderBy("id", "desc").limit(sql.lit(limit))
  )
);

/** Up to `limit` jobs of an organisation with smaller ids, the newest first. */
export async function jobsBelow(
  db: Connection,
  org_id: string,
  below: string,
  limit: number,
): Promise<JobRow[]> {
  return (await db.rows(belowSql(limit), { org_id, below })).map((row) => numbered(row));
}

/** Jobs under way that one look finds. */
const UNDER_WAY = 500;

/** A job under way, and whose it is. */
type UnderWay = Pick<JobRow, "org_id" | "id" | "person">;

const underWaySql = statement<UnderWay & Record<keyof UnderWay, string>>()((db, p) =>
  db.selectFrom("jobs").select(["org_id", "id", "person"]).where("ended_at", "is", null)
    .where(sql<boolean>`(org_id, person, id) > (${p.org_id}, ${p.person}, ${p.id})`)
    .orderBy("org_id").orderBy("person").orderBy("id").limit(sql.lit(UNDER_WAY))
);

const smallSql = statement<{ org_id: string; person: string }>()<{ n: number }>((db, p) =>
  db.selectFrom("jobs").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("person", "=", p.person)
    .where("ended_at", "is", null).where("small", "=", sql.lit(1))
);

/** How many small jobs a person has under way. */
export async function countSmall(
  db: Connection,
  org_id: string,
  person: string,
): Promise<number> {
  return Number((await db.row(smallSql, { org_id, person }))?.n ?? 0);
}

/** True where a job of any organisation is under way. */
export async function isAnyUnderWay(db: Connection): Promise<boolean> {
  return !(await jobsUnderWay(db).next()).done;
}

/** Every job under way, of every organisation, read some at a time. */
export async function* jobsUnderWay(db: Connection): AsyncGenerator<UnderWay, void, void> {
  for (let last: UnderWay = { org_id: "", person: "", id: "" };;) {
    const { org_id, person, id } = last;
    const rows: UnderWay[] = await db.rows(underWaySql, { org_id, person, id });
    yield* rows;
    if (rows.length < UNDER_WAY) return;
    last = rows.at(-1) ?? last;
  }
}

/** One of the engines gives large integers as texts. */
function numbered<Row extends JobRow | undefined>(row: Row): Row {
  if (row === undefined) return row;
  const { at_most, small, total, settled, done, left_alone, failed } = row;
  return {
    ...row,
    at_most: Number(at_most),
    small: Number(small),
    total: Number(total),
    settled: Number(settled),
    done: Number(done),
    left_alone: Number(left_alone),
    failed: Number(failed),
  };
}
