import { sql } from "kysely";
import { countKeys, listCounter, POSITION_LEVELS } from "../../storage/list-counts.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection, Levels, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

/**
 * Certificates are counted twice, each kind apart: by position, in the order of addition, and by
 * the end of their validity. So the lists of both orders have their number of pages, and any page,
 * without a walk through the list.
 */
export interface CountedRow {
  position: number;
  kind: number;
  not_after: string;
}

/** Of an end of validity: all, year, month, day, hour. */
const END_LEVELS: Levels = [0, 4, 7, 10, 13];
/** The suffix that makes the name of an hour its first instant. */
const HOUR_BEGINS = ":00:00Z";
/** Digits of a position as the counters name it. */
const DIGITS = 12;

/** Counts a certificate in (`by` 1) or out (-1); the counters change as the transaction ends. */
export function countCertificate(tx: Tx, org_id: string, row: CountedRow, by: 1 | -1): void {
  const { position, kind, not_after } = row;
  const key = String(position).padStart(DIGITS, "0");
  countKeys(tx, { org_id, list: addedList(kind), key }, by, POSITION_LEVELS);
  countKeys(tx, { org_id, list: endList(kind), key: not_after }, by, END_LEVELS);
}

/** How many certificates of these kinds there are. */
export async function countKinds(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
): Promise<number> {
  return kinds.length === 0 ? 0 : await byAddition(kinds).count(db, org_id);
}

/**
 * The start of the page behind `offset` rows, ascending: `skip` rows behind the position `after`.
 */
export async function seekPage(
  db: Connection,
  org_id: string,
  order: "position" | "not_after",
  kinds: readonly number[],
  offset: number,
): Promise<{ after: { key: string | number; position: number }; skip: number }> {
  const counter = order === "position" ? byAddition(kinds) : byEnd(kinds);
  const { from, skip } = await counter.seekOldest(db, org_id, offset);
  if (order === "not_after") return { after: { key: from, position: 0 }, skip };
  const position = Number(from.padEnd(DIGITS, "0")) - 1;
  return { after: { key: position, position }, skip };
}

/**
 * How many certificates of these kinds end before each of `ends`, as stored, without those that end
 * before they begin. Whole hours are known from the counters; the last one is walked.
 */
export async function countByEnd(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  ends: readonly string[],
): Promise<number[]> {
  if (kinds.length === 0) return ends.map(() => 0);
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = kinds;
  const counter = byEnd(kinds);
  const before: number[] = [];
  for (const end of ends) {
    const hour = end.slice(0, END_LEVELS.at(-1));
    const whole = await counter.countBelow(db, org_id, hour, END_LEVELS);
    const isWhole = end === hour || end === hour + HOUR_BEGINS;
    const params = { org_id, k0, k1, k2, k3, hour, end };
    const rest = isWhole ? 0 : (await db.row(withinHourSql(kinds.length), params))?.n ?? 0;
    before.push(whole + rest);
  }
  const invalid = await countInvalid(db, org_id, kinds, ends);
  return before.map((n, at) => Math.max(0, n - (invalid[at] ?? 0)));
}

/**
 * How many certificates of these kinds end before they begin, of those that end before each of
 * `ends`. It looks at all of them: they are mistakes, so few.
 */
export async function countInvalid(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  ends: readonly string[],
): Promise<number[]> {
  const [k0 = -1, k1 = -1, k2 = -1, k3 = -1] = kinds;
  const named = Object.fromEntries(ends.map((end, at) => [`e${at}`, end]));
  const row = await db.row(invalidSql(ends.length), { org_id, k0, k1, k2, k3, ...named });
  return ends.map((_, at) => Number(row?.[`n${at}`] ?? 0));
}

const invalidSql = variants((ends: number) =>
  statement<Record<string, string | number>>()<Record<string, number | null>>((db, p, dialect) => ({
    compile: () => {
      const sums = Array.from(
        { length: ends },
        (_, at) =>
          sql`sum(case when not_after < ${p[`e${at}`]} then 1 else 0 end) as ${sql.ref(`n${at}`)}`,
      );
      const index = dialect === "sqlite" ? sql`indexed by certificates_invalid` : sql``;
      return sql<Record<string, number | null>>`select ${sql.join(sums)} from certificates ${index}
        where org_id = ${p.org_id} and kind in (${p.k0}, ${p.k1}, ${p.k2}, ${p.k3})
        and not_after < not_before`.compile(db);
    },
  }))
);

/** One walk of the index for each kind. */
const withinHourSql = variants((kinds: number) =>
  statement<{
    org_id: string;
    k0: number;
    k1: number;
    k2: number;
    k3: number;
    hour: string;
    end: string;
  }>()<{ n: number }>((db, p) => ({
    compile: () => {
      const arms = [p.k0, p.k1, p.k2, p.k3].slice(0, kinds).map((kind) =>
        sql`(select count(*) from certificates where org_id = ${p.org_id} and kind = ${kind}
          and not_after >= ${p.hour} and not_after < ${p.end})`
      );
      return sql<{ n: number }>`select ${sql.join(arms, sql` + `)} as n`.compile(db);
    },
  }))
);

/** The counters over the lists of some kinds; there are nine such sets. */
const byAddition = variants((kinds: readonly number[]) => listCounter(kinds.map(addedList)));
const byEnd = variants((kinds: readonly number[]) => listCounter(kinds.map(endList)));

/** The list that counts a kind by position. */
export function addedList(kind: number): string {
  return `certificates/${kind}`;
}

function endList(kind: number): string {
  return `certificate_ends/${kind}`;
}
