import { sql } from "kysely";
import { type Statement, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import {
  type Columns,
  columnsOf,
  comparePlaces,
  directRows,
  holdsText,
  keyed,
  kindsOf,
  type ListedRow,
  type Params,
  paramsOf,
  rowsWhere,
  searchKeys,
  sortedBy,
  type Timed,
  unsortedKeys,
  validity,
  type Walk,
  walkedKeys,
} from "./certificate-keys.store.ts";
import { type After, type Order, type Selection, start } from "./selection.ts";

/** The position of a row in an order. */
export function placeIn(order: Order, row: ListedRow): After {
  return { key: row[order], position: row.position };
}

/**
 * Up to `limit` certificates of a selection in the order in which they are found, behind `after`
 * and without the next `skip`.
 */
export async function foundCertificates(
  db: Connection,
  org_id: string,
  selection: Selection,
  columns: Columns,
  page: { after: After; skip: number; limit: number; descending: boolean },
): Promise<ListedRow[]> {
  const { descending, limit, skip } = page;
  const { found: order } = selection;
  const walk = walkOf(selection, { order, descending, limit });
  const params = { ...paramsOf(org_id, selection), ...page.after, skip };
  const rows = await db.rows(foundSql(walk, columns), params);
  // The engine sorted the keys; the join that follows promises nothing.
  const sign = descending ? -1 : 1;
  return rows.sort((a, b) => sign * comparePlaces(placeIn(order, a), placeIn(order, b)));
}

const foundSql = variants((walk: Walk, columns: Columns) =>
  statement<Params>()<ListedRow>((db, p, dialect) => ({
    compile: () => {
      const window = sql`limit ${sql.lit(walk.limit)} offset ${p.skip}`;
      if (kindsOf(walk, p).length === 1 && columns !== "files") {
        return directRows(columnsOf(columns), walk, p, dialect, window).compile(db);
      }
      const keys = walkedKeys(walk, p, dialect, window);
      const from = sql`(${keys}) as k cross join certificates as c`;
      return rowsWhere(columns, from, keyed(p, false)).compile(db);
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
  const walk = walkOf(selection, { order: selection.found, descending: false, limit });
  return (await db.row(countFoundSql(walk), params))?.n ?? 0;
}

const countFoundSql = variants((walk: Walk) =>
  statement<Params>()<{ n: number }>((db, p, dialect) => ({
    compile: () =>
      sql<{ n: number }>`select count(*) as n from (${unsortedKeys(walk, p, dialect)}) as k`
        .compile(db),
  }))
);

/** The index in which matches are looked for: of texts, or of an order. */
type Finder = "text" | Order;

/**
 * Of the next `most` certificates of `by`, behind a place of it, those that a selection wants, in
 * the order asked for. `next`, where there are more: the place to go on behind, if `by` is in the
 * order asked for.
 */
export async function gatherMatches(
  db: Connection,
  org_id: string,
  selection: Selection,
  { by, most, after }: { by: Finder; most: number; after?: After },
): Promise<{ matches: After[]; next: After | undefined }> {
  const found = by === "text" ? "position" : by;
  const inOrder = found === selection.order;
  const descending = inOrder && selection.descending;
  const isNarrowed = by === selection.found;
  const from = after ?? start({ found, times: isNarrowed ? selection.times : null }, descending);
  // One more than that tells whether there are more.
  const walk = walkOf(selection, { order: found, descending, limit: most + 1 });
  const gather: Gather = {
    walk: { ...walk, timed: isNarrowed ? walk.timed : false },
    byText: by === "text",
    order: selection.order,
    descending: selection.descending,
    times: isNarrowed ? false : walk.timed,
    text: selection.search !== null && by !== "text",
  };
  const params = { ...paramsOf(org_id, selection), ...from, skip: 0 };
  const looked = await db.rows(gatheredSql(gather), params);
  const isMore = looked.length > most;
  const extra = isMore && looked.reduce((a, b) => inOrder || isFoundAfter(b, a) ? b : a);
  const gathered = looked.filter((one) => one !== extra);
  const last = gathered.at(-1);
  return {
    matches: gathered.filter(({ wanted }) => wanted === 1).map(placeOf),
    next: isMore && last ? placeOf(last) : undefined,
  };
}

/** The text of a statement that gathers. */
interface Gather {
  walk: Walk;
  byText: boolean;
  /** The order asked for. */
  order: Order;
  descending: boolean;
  /** Conditions that the walk leaves to be looked at. */
  times: Timed;
  text: boolean;
}

/** `key` and `found` are absent where they are the position: a search gathers very many rows. */
type Gathered = { position: number; wanted: number; key?: string; found?: string };

const gatheredSql = variants((gather: Gather) =>
  statement<Params>()<Gathered>((db, p, dialect) => ({
    compile: () => {
      const { walk, byText, order } = gather;
      const window = sql`limit ${sql.lit(walk.limit)}`;
      const keys = byText ? searchKeys(walk, p, dialect) : walkedKeys(walk, p, dialect, window);
      const column = order === "position" ? sql`k.position` : sql.ref(`c.${order}`);
      const key = order === "position" ? sql`` : sql`, ${column} as key`;
      const found = byText ? sql`` : sql`, k.key as found`;
      const conditions = [
        sql`c.position is not null`,
        ...gather.times ? [validity(p, gather.times)] : [],
        ...gather.text ? [holdsText("c.", p, dialect)] : [],
      ];
      // SQLite would walk all of a kind in an index that holds every column that is read.
      const index = dialect === "sqlite" && (order !== "position" || conditions.length > 1)
        ? sql`indexed by certificates_position`
        : sql``;
      // The condition is among the columns: if it were in `where`, PostgreSQL might begin with all
      // rows that meet it.
      return sql<Gathered>`
        select k.position as position ${key} ${found},
          case when ${sql.join(conditions, sql` and `)} then 1 else 0 end as wanted
        from (${keys}) as k left join certificates as c ${index} on ${keyed(p, byText)}
        ${sortedBy(gather, column, sql`k.position`)}`.compile(db);
    },
  }))
);

function isFoundAfter(a: Gathered, b: Gathered): boolean {
  const [one, other] = [a.found ?? a.position, b.found ?? b.position];
  return one === other ? a.position > b.position : one > other;
}

function placeOf({ position, key = position }: { position: number; key?: string | number }): After {
  return { key, position };
}

/** The certificates of these matches that are still there, in their order. */
export async function certificatesAt(
  db: Connection,
  org_id: string,
  { kinds }: Selection,
  columns: Columns,
  matches: readonly After[],
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

function walkOf(
  { kinds, times, isInvalid }: Selection,
  walk: Pick<Walk, "order" | "descending" | "limit">,
): Walk {
  return {
    kinds: kinds.length,
    timed: times === null ? false : isInvalid ? "invalid" : "valid",
    ...walk,
  };
}
