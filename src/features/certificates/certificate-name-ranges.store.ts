import { sql } from "kysely";
import { listCounter } from "../../storage/list-counts.ts";
import { statement } from "../../storage/statement.ts";
import { change, exists, one } from "../../storage/statement-functions.ts";
import { puts, removes } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { type Params, paramsOf, walkedKeys } from "./certificate-keys.store.ts";
import { KINDS } from "./certificate.ts";
import { addedList } from "./certificate-counts.store.ts";
import { LAST_TEXT } from "./selection.ts";

/**
 * Certificates are counted by ranges of the order by names, so that a page in the middle of it is
 * found without a walk through half the list. Names share their beginnings, so the ranges are no
 * prefixes: a range that has grown is split in two. There are two levels, small ranges within wide
 * ones. Ranges of a store that counted no names, or whose counts do not add up because earlier code
 * wrote to it, are counted anew some at a time; until then pages are walked to.
 */
const WIDE = 0;
const SMALL = 1;
/** Certificates of a range once it is split; it is split at twice as many. */
const WIDE_SIZE = 8192;
const SMALL_SIZE = 128;

/** The start of a range, behind this position of the order by names. */
interface RangePlace {
  org_id: string;
  key: string;
  position: number;
}

/** How many certificates of each kind. */
type Counts = readonly [number, number, number, number];

type RangeRow = RangePlace & { n: number; counted: number };

const sumOf = (kinds: readonly number[]) =>
  sql<number>`(${sql.join(kinds.map((kind) => sql.ref(`n${kind}`)), sql` + `)})`;

/** Adds to the range of a place, and gives what it holds then. */
const addSql = variants((level: number) =>
  statement<RangePlace & { b0: number; b1: number; b2: number; b3: number }>()<RangeRow>((
    db,
    p,
  ) => ({
    compile: () =>
      sql<RangeRow>`update certificate_name_ranges set n0 = n0 + counted * ${p.b0},
          n1 = n1 + counted * ${p.b1}, n2 = n2 + counted * ${p.b2}, n3 = n3 + counted * ${p.b3}
        where org_id = ${p.org_id} and level = ${sql.lit(level)} and (key, position) = (
          select key, position from certificate_name_ranges
          where org_id = ${p.org_id} and level = ${sql.lit(level)}
            and (key, position) < (${p.key}, ${p.position})
          order by key desc, position desc limit 1)
        returning org_id, key, position, ${sumOf(KINDS)} as n, counted`.compile(db),
  }))
);

/**
 * Counts a certificate in (`by` 1) or out (-1). To be called once its row is there or is gone, by
 * who has allotted positions.
 */
export async function countName(
  tx: Tx,
  org_id: string,
  { kind, subject_key: key, position }: { kind: number; subject_key: string; position: number },
  by: 1 | -1,
): Promise<void> {
  const [b0, b1, b2, b3] = KINDS.map((one) => one === kind ? by : 0) as [...Counts];
  const added = { org_id, key, position, b0, b1, b2, b3 };
  // The small one first: where a wide one is split, and whether it is empty, is read of those.
  for (const level of [SMALL, WIDE]) {
    const row = await tx.row(addSql(level), added);
    if (!row) await leaveUncounted(tx, { org_id, key: "", position: 0 });
    if (!row || Number(row.counted) === 0) return;
    const place = { org_id, key: row.key, position: Number(row.position) };
    const n = Number(row.n);
    if (n === 0 && by === -1) await dropEmpty(tx, level, place);
    if (level === SMALL && n > 2 * SMALL_SIZE) await splitSmall(tx, place);
    if (level === WIDE && n > 2 * WIDE_SIZE) await splitWide(tx, place);
  }
}

const insertRange = change(puts("certificate_name_ranges"));

async function putRange(
  tx: Tx,
  place: RangePlace,
  level: number,
  [n0, n1, n2, n3]: Counts,
  counted = 1,
): Promise<void> {
  await insertRange(tx, { ...place, level, n0, n1, n2, n3, counted });
}

async function leaveUncounted(tx: Tx, place: RangePlace): Promise<void> {
  await putRange(tx, place, WIDE, [0, 0, 0, 0], 0);
  await putRange(tx, place, SMALL, [0, 0, 0, 0], 0);
}

const dropRange = change(removes("certificate_name_ranges"));

const isWide = exists((db, p: RangePlace) =>
  db.selectFrom("certificate_name_ranges").select("level").where("org_id", "=", p.org_id)
    .where("level", "=", sql.lit(WIDE)).where("key", "=", p.key).where("position", "=", p.position)
);

/** Leaves an empty range to the one before it. A wide one begins with a small one, which stays. */
async function dropEmpty(tx: Tx, level: number, place: RangePlace): Promise<void> {
  if (place.key === "" && place.position === 0) return;
  if (level === SMALL && await isWide(tx, place)) return;
  await dropRange(tx, { ...place, level });
  if (level === WIDE) await dropRange(tx, { ...place, level: SMALL });
}

const walkSql = variants((limit: number) =>
  statement<Params>()<{ kind: number; position: number; key: string }>((db, p, dialect) => ({
    compile: () => {
      const walk = {
        kinds: KINDS.length,
        order: "subject_key",
        descending: false,
        timed: false,
        limit,
      } as const;
      return sql<{ kind: number; position: number; key: string }>`${
        walkedKeys(walk, p, dialect, sql`limit ${sql.lit(limit)}`)
      }`.compile(db);
    },
  }))
);

/** The next certificates behind a place of the order by names. */
async function walkFrom(tx: Tx, { org_id, key, position }: RangePlace, limit: number) {
  const all = { kinds: KINDS, search: null, times: null } as Parameters<typeof paramsOf>[1];
  const rows = await tx.rows(walkSql(limit), { ...paramsOf(org_id, all), key, position, skip: 0 });
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

/** How many of each kind there are. */
function countsOf(rows: readonly { kind: number }[]): Counts {
  return KINDS.map((kind) => rows.filter((row) => row.kind === kind).length) as unknown as Counts;
}

const rangesSql = statement<
  RangePlace & { level: number; end_key: string; end_position: number; limit: number }
>()((db, p) =>
  db.selectFrom("certificate_name_ranges").select(["key", "position", "n0", "n1", "n2", "n3"])
    .where("org_id", "=", p.org_id).where("level", "=", p.level)
    .where(sql<boolean>`(key, position) >= (${p.key}, ${p.position})`)
    .where(sql<boolean>`(key, position) < (${p.end_key}, ${p.end_position})`)
    .orderBy("key").orderBy("position").limit(p.limit)
);

const END = { end_key: LAST_TEXT, end_position: 0 };

async function rangesFrom(
  tx: Tx,
  place: RangePlace,
  level: number,
  { limit = 1_000_000, ...end }: { limit?: number; end_key: string; end_position: number },
): Promise<{ place: RangePlace; counts: Counts }[]> {
  const rows = await tx.rows(rangesSql, { ...place, level, limit, ...end });
  return rows.map(({ key, position, n0, n1, n2, n3 }) => ({
    place: { org_id: place.org_id, key, position: Number(position) },
    counts: [Number(n0), Number(n1), Number(n2), Number(n3)],
  }));
}

function added(all: readonly Counts[]): Counts {
  return all.reduce<Counts>(
    ([a0, a1, a2, a3], [b0, b1, b2, b3]) => [a0 + b0, a1 + b1, a2 + b2, a3 + b3],
    [0, 0, 0, 0],
  );
}

function without([a0, a1, a2, a3]: Counts, [b0, b1, b2, b3]: Counts): Counts {
  return [a0 - b0, a1 - b1, a2 - b2, a3 - b3];
}

async function splitSmall(tx: Tx, place: RangePlace): Promise<void> {
  const [range] = await rangesFrom(tx, place, SMALL, { ...END, limit: 1 });
  const rows = await walkFrom(tx, place, SMALL_SIZE);
  const last = rows.at(-1);
  if (!range || !last) return;
  const first = countsOf(rows);
  await putRange(tx, place, SMALL, first);
  const { key, position } = last;
  const rest = without(range.counts, first);
  await putRange(tx, { org_id: place.org_id, key, position }, SMALL, rest);
}

/** Splits a wide range where one of its small ones begins. */
async function splitWide(tx: Tx, place: RangePlace): Promise<void> {
  const [, next] = await rangesFrom(tx, place, WIDE, { ...END, limit: 2 });
  const end = next ? { end_key: next.place.key, end_position: next.place.position } : END;
  const small = await rangesFrom(tx, place, SMALL, end);
  let n = 0;
  const at = small.findIndex(({ counts }) => {
    const before = n;
    n += counts.reduce((a, b) => a + b);
    return before >= WIDE_SIZE;
  });
  const second = small[at];
  if (!second) return;
  await putRange(tx, place, WIDE, added(small.slice(0, at).map(({ counts }) => counts)));
  await putRange(tx, second.place, WIDE, added(small.slice(at).map(({ counts }) => counts)));
}

/** The position behind which a page of the order by names is read, after `skip` more. */
interface NamePlace {
  after: { key: string; position: number };
  skip: number;
}

/**
 * The start of the page behind `offset` certificates of these kinds in the order by names,
 * ascending; undefined: not all are counted, or there are fewer.
 */
export async function seekName(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  offset: number,
): Promise<NamePlace | undefined> {
  const first = { org_id, key: "", position: 0 };
  const wide = await db.rows(countedSql(kinds, WIDE), { ...first, ...END });
  const counted = wide.reduce((sum, { n }) => sum + Number(n), 0);
  if (counted !== Number(wide[0]?.total ?? 0)) return undefined;
  const at = rangeBehind(wide, offset);
  const within = at && wide[at.index];
  if (!within) return undefined;
  const next = wide[at.index + 1];
  const end = next ? { end_key: next.key, end_position: next.position } : END;
  const { key, position } = within;
  const small = await db.rows(countedSql(kinds, SMALL), { org_id, key, position, ...end });
  const there = rangeBehind(small, at.skip);
  const range = there && small[there.index];
  if (!range) return undefined;
  return { after: { key: range.key, position: Number(range.position) }, skip: there.skip };
}

/** The range in which the certificate behind so many others lies. */
function rangeBehind(
  ranges: readonly { n: number }[],
  offset: number,
): { index: number; skip: number } | undefined {
  let skip = offset;
  for (const [index, { n }] of ranges.entries()) {
    if (skip < Number(n)) return { index, skip };
    skip -= Number(n);
  }
  return undefined;
}

/** Small ranges of a wide one that are looked through; hardly ever there are more than 128. */
const MOST_SMALL = 1024;

/** The counts of ranges, and of certificates in all. */
const countedSql = variants((kinds: readonly number[], level: number) => {
  const { total } = listCounter(kinds.map(addedList));
  type Counted = { key: string; position: number; n: number; total: number | null };
  // By the limit PostgreSQL knows that few are wanted, and walks its index.
  const limit = level === SMALL ? sql`limit ${sql.lit(MOST_SMALL)}` : sql``;
  return statement<RangePlace & typeof END>()<Counted>((db, p) => ({
    compile: () =>
      sql<Counted>`select key, position, ${sumOf(kinds)} as n, ${total(p.org_id)} as total
        from certificate_name_ranges where org_id = ${p.org_id} and level = ${sql.lit(level)}
          and (key, position) >= (${p.key}, ${p.position})
          and (key, position) < (${p.end_key}, ${p.end_position})
        order by key, position ${limit}`.compile(db),
  }));
});

/** The start of the next uncounted range, of any organisation. */
export const findUncounted = one((db) =>
  db.selectFrom("certificate_name_ranges").select(["org_id", "key", "position"])
    .where("counted", "=", sql.lit(0)).where("level", "=", sql.lit(WIDE))
    .orderBy("org_id").orderBy("key").orderBy("position").limit(sql.lit(1))
);

/** An organisation whose ranges hold more certificates than it has, or fewer, though all count. */
export const findMiscounted = one((db) =>
  db.selectFrom("organisations as o").select("o.id as org_id")
    .where(sql<boolean>`(select coalesce(sum(${sumOf(KINDS)}), 0) from certificate_name_ranges
      where org_id = o.id and level = ${sql.lit(WIDE)}) <> (select coalesce(sum(n), 0)
      from list_counts where org_id = o.id and level = 0
      and list in (${sql.join(KINDS.map((kind) => sql.lit(addedList(kind))))}))`)
    .where(sql<boolean>`not exists (select 1 from certificate_name_ranges
      where org_id = o.id and level = ${sql.lit(WIDE)} and counted = 0)`)
    .orderBy("o.id").limit(sql.lit(1))
);

const dropRanges = change(removes("certificate_name_ranges", "org_id"));

/** Forgets what was counted of an organisation: all of it is to be counted anew. */
export async function forgetNames(tx: Tx, org_id: string): Promise<void> {
  await dropRanges(tx, { org_id });
  await leaveUncounted(tx, { org_id, key: "", position: 0 });
}

/** Counts the next certificates from where nothing is counted; gives how many. */
export async function countRange(tx: Tx, place: RangePlace): Promise<number> {
  const rows = await walkFrom(tx, place, WIDE_SIZE + 1);
  const own = rows.slice(0, WIDE_SIZE);
  await putRange(tx, place, WIDE, countsOf(own));
  let from = place;
  for (let at = 0; at === 0 || at < own.length; at += SMALL_SIZE) {
    const part = own.slice(at, at + SMALL_SIZE);
    await putRange(tx, from, SMALL, countsOf(part));
    const last = part.at(-1);
    if (last) from = { org_id: place.org_id, key: last.key, position: last.position };
  }
  if (rows.length > own.length) await leaveUncounted(tx, from);
  return own.length;
}
