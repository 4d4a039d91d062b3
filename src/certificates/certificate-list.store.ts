import { Buffer } from "node:buffer";
import { sql } from "kysely";
import { type Dialect, statement } from "../storage/statement.ts";
import type { Connection } from "../storage/storage.ts";
import { hasPrivate, isAuthority, searchWords } from "./certificate-entry.ts";
import {
  cached,
  type Columns,
  directRows,
  foundKeys,
  type Fragment,
  keyed,
  type ListedRow,
  type Params,
  rowsOf,
  searchKeys,
  type Shape,
  shapeOf,
  sortedBy,
  validity,
  wanted,
} from "./certificate-keys.store.ts";
import type { Order, Selection, Times } from "./selection.ts";

/** Where to go on: behind the row with these values. */
export interface After {
  key: string | number;
  position: number;
}

/** Reading a selection starts here, from either end. */
export function start(
  selection: Pick<Selection, "found" | "times">,
  descending: boolean,
): After {
  const { found, times } = selection;
  const position = descending ? Number.MAX_SAFE_INTEGER : 0;
  if (found === "position") return { key: position, position };
  // Not from the index's very end: what lies before the wanted times would be read and thrown away.
  if (found === "not_after" && times) {
    return { key: descending ? times.na_to : times.na_from, position: 0 };
  }
  if (found === "not_before" && times) {
    return { key: descending ? times.nb_to : times.nb_from, position: 0 };
  }
  return { key: descending ? LAST_TEXT : "", position };
}

const LAST_TEXT = "\u{10ffff}".repeat(4);

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
  return rows.sort((a, b) => compare(a, b, selection.found) * (descending ? -1 : 1));
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
        foundKeys(shape, p, dialect, sql`limit ${sql.lit(shape.limit)}`)
      }) as k`
        .compile(db),
  }))
);

/**
 * The certificates that a search finds by their texts alone, in the order of addition behind `after`: up to
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
  const forwards: Selection = { ...selection, order: "position", descending: false };
  const shape = shapeOf(forwards, columns, gather, gather);
  const params = { ...paramsOf(org_id, selection), key: after, position: after, skip: 0 };
  const { looked = 0, last } = await db.row(gatheredCountSql(shape, true), params) ?? {};
  const rows = await db.rows(gatheredSql(shape, true), params);
  return { rows, last: looked < gather ? undefined : last };
}

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

/** How many of the first `gather` matches are wanted, and how many were looked at. */
export async function countGathered(
  db: Connection,
  org_id: string,
  selection: Selection,
  gather: number,
): Promise<{ n: number; looked: number }> {
  const shape = shapeOf(selection, "basics", 0, gather);
  const params = { ...gatherParams(org_id, selection, shape), skip: 0 };
  const row = await db.row(gatheredCountSql(shape, selection.search !== null), params);
  return { n: row?.n ?? 0, looked: row?.looked ?? 0 };
}

const gatheredSql = cached((shape, searching) =>
  statement<Params>()<ListedRow>((db, p, dialect) => ({
    compile: () => {
      const keys = gatheredKeys(shape, p, searching, dialect);
      const key = keyed(p, searching);
      const order = sortedBy(shape, sql.ref(`c.${shape.order}`), sql.ref("c.position"));
      return rowsOf(
        shape,
        keys,
        key,
        sql`${wanted(shape, p, searching)} ${order}
        limit ${sql.lit(shape.limit)} offset ${p.skip}`,
      ).compile(db);
    },
  }))
);

const gatheredCountSql = cached((shape, searching) =>
  statement<Params>()<{ n: number; looked: number; last: number | undefined }>((
    db,
    p,
    dialect,
  ) => ({
    compile: () => {
      const keys = gatheredKeys(shape, p, searching, dialect);
      const counted = shape.timed && searching
        ? sql`sum(case when ${validity("c.", p)} then 1 else 0 end)`
        : sql`count(c.position)`;
      return sql<{ n: number; looked: number; last: number | undefined }>`
        select coalesce(${counted}, 0) as n, count(*) as looked, max(k.position) as last
        from (${keys}) as k left join certificates as c
        on ${keyed(p, searching)}`.compile(db);
    },
  }))
);

function gatheredKeys(shape: Shape, p: Params, searching: boolean, dialect: Dialect): Fragment {
  // The newest first matches for a search that wants these; else the first as they are found.
  const backwards = searching && shape.order === "position" && shape.descending;
  return searching ? searchKeys(shape, p, backwards, dialect) : foundKeys(
    { ...shape, order: shape.found, descending: false },
    p,
    dialect,
    sql`limit ${sql.lit(shape.gather)}`,
  );
}

const NO_TIMES: Times = { na_from: "", na_to: "", nb_from: "", nb_to: "" };

function paramsOf(org_id: string, selection: Selection) {
  const { kinds, search } = selection;
  const kind = (i: number) => kinds[i % kinds.length] ?? 0;
  return {
    ...selection.times ?? NO_TIMES,
    org_id,
    k0: kind(0),
    k1: kind(1),
    k2: kind(2),
    k3: kind(3),
    match: search === null ? "" : matchOf(org_id, kinds, search),
    pattern: search === null ? "" : `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`,
  };
}

function gatherParams(org_id: string, selection: Selection, shape: Shape) {
  const backwards = selection.search !== null && shape.order === "position" && shape.descending;
  return { ...paramsOf(org_id, selection), ...start(selection, backwards) };
}

function matchOf(org_id: string, kinds: readonly number[], search: string): string {
  const same = (of: (kind: number) => boolean) => new Set(kinds.map(of)).size === 1;
  const [kind = 0] = kinds;
  const words = searchWords(org_id, kind);
  return [
    `text : "${search.replaceAll('"', '""')}"`,
    `org : "${words.org}"`,
    ...same(hasPrivate) ? [`pk : "${words.pk}"`] : [],
    ...same(isAuthority) ? [`ca : "${words.ca}"`] : [],
  ].join(" AND ");
}

function compare(a: ListedRow, b: ListedRow, order: Order): number {
  // By code points, as both engines do; JavaScript's own order is that of UTF-16.
  const difference = order === "position" ? 0 : compareText(a[order], b[order]);
  return difference === 0 ? a.position - b.position : difference;
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
