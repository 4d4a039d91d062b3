import { sql } from "kysely";
import { type Statement, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import {
  cached,
  type Columns,
  compareRows,
  directRows,
  foundKeys,
  holdsText,
  keyed,
  type ListedRow,
  type Params,
  paramsOf,
  rowsOf,
  rowsWhere,
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

/** Where a match is: `key` is what sorts it in the order asked for. */
export interface Match extends After {
  /** Sorts it, before its position, in the order in which matches are found. */
  found: string | number;
}

/**
 * Of the first `most` certificates that a selection finds behind `after`, a position, those that are wanted, in the
 * order asked for: a search by text knows neither times nor organisations. `next` is the position behind which a
 * search goes on; undefined: these are all.
 */
export async function gatherMatches(
  db: Connection,
  org_id: string,
  selection: Selection,
  { most, after }: { most: number; after?: number },
): Promise<{ matches: Match[]; next: number | undefined }> {
  const searching = selection.search !== null;
  // One more than that tells whether there are more.
  const shape = shapeOf(selection, "basics", 0, most + 1);
  const from = start(selection, isBackwards(shape, searching));
  const place = after === undefined ? from : { key: after, position: after };
  const params = { ...paramsOf(org_id, selection), ...place, skip: 0 };
  const sign = isBackwards(shape, searching) ? -1 : 1;
  const looked = (await db.rows(gatheredSql(shape, searching), params)).map((one) => {
    const { position, wanted, key = position, found = sign * position } = one;
    return { position, wanted, key, found };
  });
  if (looked.length <= most) return { matches: looked.filter(isWanted), next: undefined };
  const behind = looked.reduce((last, one) => isFoundAfter(one, last) ? one : last);
  const gathered = looked.filter((one) => one !== behind);
  const last = gathered.reduce((last, one) => isFoundAfter(one, last) ? one : last);
  return { matches: gathered.filter(isWanted), next: last.position };
}

/** The certificates of these matches that are still there, in their order. */
export async function certificatesAt(
  db: Connection,
  org_id: string,
  { kinds }: Selection,
  columns: Columns,
  matches: readonly Match[],
): Promise<ListedRow[]> {
  const [first] = matches;
  if (!first) return [];
  let n = 1;
  while (n < matches.length) n *= 2;
  const params: Record<string, string | number> = { org_id };
  for (let i = 0; i < n; i++) params[`p${i}`] = (matches[i] ?? first).position;
  const rows = await db.rows(atSql[columns](n), params);
  const at = new Map(rows.map((row) => [row.position, row]));
  return matches.flatMap(({ position }) => at.get(position) ?? [])
    .filter(({ kind }) => kinds.includes(kind));
}

/** One statement for each number of positions, a power of two. */
const atSql: Record<Columns, (n: number) => Statement<Record<string, string | number>, ListedRow>> =
  { basics: rowsAtSql("basics"), details: rowsAtSql("details"), files: rowsAtSql("files") };

function rowsAtSql(columns: Columns) {
  return variants((n: number) =>
    statement<Record<string, string | number>>()<ListedRow>((db, p) => ({
      compile: () => {
        const positions = Array.from({ length: n }, (_, i) => sql`${p[`p${i}`]}`);
        return rowsWhere(
          columns,
          sql`certificates as c`,
          sql`c.org_id = ${p.org_id} and c.position in (${sql.join(positions)})`,
        ).compile(db);
      },
    }))
  );
}

type Gathered = Partial<Match> & { position: number; wanted: number };

const gatheredSql = cached((shape, searching) =>
  statement<Params>()<Gathered>((db, p, dialect) => ({
    compile: () => {
      const backwards = isBackwards(shape, searching);
      const keys = searching ? searchKeys(shape, p, backwards, dialect) : foundKeys(
        { ...shape, order: shape.found, descending: false },
        p,
        dialect,
        sql`limit ${sql.lit(shape.gather)}`,
      );
      const column = shape.order === "position" ? sql`k.position` : sql.ref(`c.${shape.order}`);
      // Read only where they are not the position: a search gathers very many rows.
      const key = shape.order === "position" ? sql`` : sql`, ${column} as key`;
      const found = searching ? sql`` : sql`, k.key as found`;
      // SQLite would walk all of a kind in an index that holds every column that is read.
      const index = dialect === "sqlite" && (shape.order !== "position" || shape.timed)
        ? sql`indexed by certificates_position`
        : sql``;
      // A search knows no times; what is found by time is wanted.
      const times = shape.timed && searching ? sql`and ${validity("c.", p)}` : sql``;
      return sql<Gathered>`
        select k.position as position ${key} ${found},
          case when c.position is not null ${times} then 1 else 0 end as wanted
        from (${keys}) as k left join certificates as c ${index} on ${keyed(p, searching)}
        ${sortedBy(shape, column, sql`k.position`)}`.compile(db);
    },
  }))
);

function isWanted({ wanted }: Gathered): boolean {
  return wanted === 1;
}

function isFoundAfter(a: Match, b: Match): boolean {
  return a.found === b.found ? a.position > b.position : a.found > b.found;
}

/** The newest first matches for a search that wants these; else the first as they are found. */
function isBackwards(shape: Shape, searching: boolean): boolean {
  return searching && shape.order === "position" && shape.descending;
}
