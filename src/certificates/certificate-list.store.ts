import { sql } from "kysely";
import { type Dialect, statement } from "../storage/statement.ts";
import type { Connection } from "../storage/storage.ts";
import {
  cached,
  type Columns,
  compareRows,
  directRows,
  foundKeys,
  type Fragment,
  holdsText,
  keyed,
  type ListedRow,
  type Params,
  paramsOf,
  rowsOf,
  searchKeys,
  type Shape,
  shapeOf,
  sievedRows,
  sortedBy,
  unsortedKeys,
  validity,
} from "./certificate-keys.store.ts";
import { type After, type Selection, start } from "./selection.ts";

/**
 * Up to `limit` certificates of a selection in the order in which they are found, behind `after` and without
 * the next `skip`. Each kind walks its own index; the engine merges them.
 */
export async function foundCertificates(
  db: Connection,
  org_id: string,
  selection: Selection,
  columns: Columns,
  page: { after: After; skip: number; limit: number; descending: boolean },
): Promise<ListedRow[]> {
  const { descending, limit, skip } = page;
  const shape = shapeOf({ ...selection, order: selection.found, descending }, columns, limit);
  const params = { ...paramsOf(org_id, selection), ...page.after, skip };
  const rows = await db.rows(foundSql(shape), params);
  // The engine sorted the keys; the join that follows promises nothing.
  return rows.sort((a, b) => compareRows(a, b, selection.found) * (descending ? -1 : 1));
}

const foundSql = cached((shape) =>
  statement<Params>()<ListedRow>((db, p, dialect) => ({
    compile: () => {
      const window = sql`limit ${sql.lit(shape.limit)} offset ${p.skip}`;
      if (shape.arms === 1 && shape.columns !== "files") {
        return directRows(
          shape,
          p,
          dialect,
          window,
        ).compile(db);
      }
      const keys = foundKeys(shape, p, dialect, window);
      return rowsOf(shape, keys, keyed(p, false)).compile(db);
    },
  }))
);

/** How many certificates a selection without a search finds, counted up to `limit`. */
export async function countFound(
  db: Connection,
  org_id: string,
  selection: Selection,
  limit: number,
): Promise<number> {
  const params = { ...start(selection, false), ...paramsOf(org_id, selection), skip: 0 };
  const found = { ...selection, order: selection.found, descending: false };
  return (await db.row(countFoundSql(shapeOf(found, "basics", limit)), params))?.n ?? 0;
}

const countFoundSql = cached((shape) =>
  statement<Params>()<{ n: number }>((db, p, dialect) => ({
    compile: () =>
      sql<{ n: number }>`select count(*) as n from (${
        unsortedKeys(shape, p, dialect, sql`limit ${sql.lit(shape.limit)}`)
      }) as k`
        .compile(db),
  }))
);

/**
 * The certificates that a search finds by their texts alone, by the time of addition behind `after`: up to
 * `gather` of them are looked at, and those of the wanted times given. `last` is where to go on.
 */
export async function searchedCertificates(
  db: Connection,
  org_id: string,
  selection: Selection,
  columns: Columns,
  page: { after: number; gather: number },
): Promise<{ rows: ListedRow[]; last: number | undefined }> {
  const { after, gather } = page;
  const shape = shapeOf({ ...selection, order: "position" }, columns, gather, gather);
  const params = { ...paramsOf(org_id, selection), key: after, position: after, skip: 0 };
  const { looked = 0, last } = await db.row(gatheredCountSql(shape, true), params) ?? {};
  const rows = await db.rows(gatheredSql(shape, true), params);
  return { rows, last: looked < gather ? undefined : last };
}

/**
 * The certificates of a selection among the next `window` behind `after` in the order asked for, whether these
 * are wanted or not: so a statement never looks at more. `last` is where to go on. For what is found in another
 * order and is too much to be gathered.
 */
export async function sievedCertificates(
  db: Connection,
  org_id: string,
  selection: Selection,
  columns: Columns,
  page: { after: After; window: number },
): Promise<{ rows: ListedRow[]; last: After | undefined }> {
  const { after, window } = page;
  const { order, descending } = selection;
  const shape = shapeOf({ ...selection, found: order }, columns, window);
  const searching = selection.search !== null;
  const params = { ...paramsOf(org_id, selection), ...after };
  const last = await db.row(lastOfWindowSql({ ...shape, limit: 1 }), {
    ...params,
    skip: window - 1,
  });
  const rows = await db.rows(sievedSql(shape, searching), { ...params, skip: 0 });
  // The engine sorted the keys; the join that follows promises nothing.
  rows.sort((a, b) => compareRows(a, b, order) * (descending ? -1 : 1));
  return { rows, last };
}

const lastOfWindowSql = cached((shape) =>
  statement<Params>()<After>((db, p, dialect) => ({
    compile: () => {
      const window = sql`limit ${sql.lit(shape.limit)} offset ${p.skip}`;
      const keys = foundKeys({ ...shape, timed: false }, p, dialect, window);
      return sql<After>`select k.key as key, k.position as position from (${keys}) as k`
        .compile(db);
    },
  }))
);

const sievedSql = cached((shape, searching) =>
  statement<Params>()<ListedRow>((db, p, dialect) => ({
    compile: () => {
      const window = sql`limit ${sql.lit(shape.limit)}`;
      const text = foundKeys({ ...shape, timed: false }, p, dialect, window);
      const times = shape.timed ? [validity("c.", p)] : [];
      const conditions = searching ? [...times, holdsText(p, dialect)] : times;
      const keys = { text, key: keyed(p, false), most: shape.limit };
      return sievedRows(shape, keys, sql.join(conditions, sql` and `)).compile(db);
    },
  }))
);

/**
 * A page out of the first `gather` matches of a selection, sorted as it asks. Only for selections that must
 * gather: others are found in their order.
 */
export function gatheredCertificates(
  db: Connection,
  org_id: string,
  selection: Selection,
  columns: Columns,
  page: { gather: number; skip: number; limit: number },
): Promise<ListedRow[]> {
  const shape = shapeOf(selection, columns, page.limit, page.gather);
  const params = { ...gatherParams(org_id, selection, shape), skip: page.skip };
  return db.rows(gatheredSql(shape, selection.search !== null), params);
}

/**
 * Up to `limit` of the same, behind `after` in the order asked for: so a page that follows is right whatever was
 * added or removed meanwhile.
 */
export function gatheredBehind(
  db: Connection,
  org_id: string,
  selection: Selection,
  columns: Columns,
  page: { gather: number; after: After; limit: number },
): Promise<ListedRow[]> {
  const shape = shapeOf(selection, columns, page.limit, page.gather);
  const { key, position } = page.after;
  const params = { ...gatherParams(org_id, selection, shape), skip: 0 };
  return db.rows(gatheredBehindSql(shape, selection.search !== null), {
    ...params,
    behind_key: key,
    behind_position: position,
  });
}

/** How many of the first `gather` matches are wanted, how many were looked at, and where the first one is. */
export async function countGathered(
  db: Connection,
  org_id: string,
  selection: Selection,
  gather: number,
): Promise<{ n: number; looked: number; first: number | undefined }> {
  const shape = shapeOf(selection, "basics", 0, gather);
  const params = { ...gatherParams(org_id, selection, shape), skip: 0 };
  const row = await db.row(gatheredCountSql(shape, selection.search !== null), params);
  return { n: row?.n ?? 0, looked: row?.looked ?? 0, first: row?.first };
}

const gatheredSql = cached((shape, searching) =>
  statement<Params>()<ListedRow>((db, p, dialect) => ({
    compile: () => {
      const text = gatheredKeys(shape, p, searching, dialect);
      const key = keyed(p, searching);
      const order = sortedBy(shape, sql.ref(`c.${shape.order}`), sql.ref("c.position"));
      const window = sql`${order} limit ${sql.lit(shape.limit)} offset ${p.skip}`;
      // A search knows no times; what is found by time is wanted.
      if (!shape.timed || !searching) return rowsOf(shape, text, key, window).compile(db);
      const keys = { text, key, most: shape.gather };
      return sievedRows(shape, keys, validity("c.", p), window).compile(db);
    },
  }))
);

interface BehindParams extends Params {
  behind_key: string | number;
  behind_position: number;
}

const gatheredBehindSql = cached((shape, searching) =>
  statement<BehindParams>()<ListedRow>((db, p, dialect) => ({
    compile: () => {
      const text = gatheredKeys(shape, p, searching, dialect);
      const key = keyed(p, searching);
      const [column, position] = [sql.ref(`c.${shape.order}`), sql.ref("c.position")];
      const behind = sql.raw(shape.descending ? "<" : ">");
      const place = shape.order === "position"
        ? sql`${position} ${behind} ${p.behind_position}`
        : sql`(${column}, ${position}) ${behind} (${p.behind_key}, ${p.behind_position})`;
      const order = sortedBy(shape, column, position);
      const window = sql`and ${place} ${order} limit ${sql.lit(shape.limit)}`;
      if (!shape.timed || !searching) return rowsOf(shape, text, key, window).compile(db);
      const keys = { text, key, most: shape.gather };
      return sievedRows(shape, keys, validity("c.", p), window).compile(db);
    },
  }))
);

interface Gathered {
  n: number;
  looked: number;
  first: number | undefined;
  last: number | undefined;
}

const gatheredCountSql = cached((shape, searching) =>
  statement<Params>()<Gathered>((
    db,
    p,
    dialect,
  ) => ({
    compile: () => {
      const keys = gatheredKeys(shape, p, searching, dialect);
      const ends = ["min", "max"].map((end) => sql`${sql.raw(end)}(k.position)`);
      const [first, last] = isBackwards(shape, searching) ? ends.reverse() : ends;
      const counted = shape.timed && searching
        ? sql`sum(case when ${validity("c.", p)} then 1 else 0 end)`
        : sql`count(c.position)`;
      return sql<Gathered>`
        select coalesce(${counted}, 0) as n, count(*) as looked, ${first} as first, ${last} as last
        from (${keys}) as k left join certificates as c
        on ${keyed(p, searching)}`.compile(db);
    },
  }))
);

function gatheredKeys(shape: Shape, p: Params, searching: boolean, dialect: Dialect): Fragment {
  return searching ? searchKeys(shape, p, isBackwards(shape, searching), dialect) : foundKeys(
    { ...shape, order: shape.found, descending: false },
    p,
    dialect,
    sql`limit ${sql.lit(shape.gather)}`,
  );
}

/** The newest first matches for a search that wants these; else the first as they are found. */
function isBackwards(shape: Shape, searching: boolean): boolean {
  return searching && shape.order === "position" && shape.descending;
}

function gatherParams(org_id: string, selection: Selection, shape: Shape) {
  const backwards = isBackwards(shape, selection.search !== null);
  return { ...paramsOf(org_id, selection), ...start(selection, backwards) };
}
