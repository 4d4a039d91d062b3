import { type RawBuilder, sql } from "kysely";
import { Buffer } from "node:buffer";
import type { Dialect, Statement } from "../../storage/statement.ts";
import { variants } from "../../storage/variants.ts";
import { searchWords } from "./certificate-entry.ts";
import { hasPrivate, isAuthority } from "./certificate.ts";
import type { After, Order, Selection, Times } from "./selection.ts";
import type { StoredCertificate } from "./stored-certificate.ts";

/** What the statements of certificate-list.store.ts are put together from. */

/** A certificate of a list, with the columns that may sort it. */
export interface ListedRow extends StoredCertificate {
  position: number;
  subject_key: string;
  /** Base64 of the DER; only where `files` was asked for. */
  certificate?: string;
}

/** Which columns are wanted; `details` are empty for `basics`. */
export type Columns = "basics" | "details" | "files";

/** The parameters that all of them share. */
export interface Params extends Times {
  org_id: string;
  k0: number;
  k1: number;
  k2: number;
  k3: number;
  key: string | number;
  position: number;
  skip: number;
  /** The search as it stands, and as each engine takes it. */
  search: string;
  match: string;
  pattern: string;
}

/** A piece of SQL. */
export type Fragment = RawBuilder<unknown>;

/** What decides a statement's text; everything else is a parameter. */
export interface Shape {
  /** Walks of an index: one for each kind, or a single one for all of them. */
  arms: number;
  /** Every kind is wanted. */
  all: boolean;
  order: Order;
  found: Order;
  descending: boolean;
  timed: boolean;
  columns: Columns;
  /** Literals in the text: SQLite plans a statement anew each time that its limit is bound. */
  limit: number;
  /** How many matches are gathered at the most. */
  gather: number;
}

/** The shape of a selection's statements. */
export function shapeOf(
  selection: Selection,
  columns: Columns,
  limit: number,
  gather = 0,
): Shape {
  const { order, found, descending, times, kinds } = selection;
  const all = kinds.length === 4;
  const arms = all && order === "position" ? 1 : kinds.length;
  return { arms, all, order, found, descending, timed: times !== null, columns, limit, gather };
}

/** The parameters of a selection, but for the place where it is read from. */
export function paramsOf(org_id: string, selection: Selection) {
  const { kinds, search } = selection;
  const kind = (i: number) => kinds[i % kinds.length] ?? 0;
  return {
    ...selection.times ?? NO_TIMES,
    org_id,
    k0: kind(0),
    k1: kind(1),
    k2: kind(2),
    k3: kind(3),
    search: search ?? "",
    match: search === null ? "" : matchOf(org_id, kinds, search),
    pattern: search === null ? "" : `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`,
  };
}

/** One statement for each shape, made when it is first wanted. */
export function cached<R, P extends Params = Params>(
  make: (shape: Shape, searching: boolean) => Statement<P, R>,
) {
  const made = variants(make);
  return (shape: Shape, searching = false): Statement<P, R> => made(shape, searching);
}

/**
 * What both engines do by an index of trigrams. SQLite's holds kinds and organisation too; PostgreSQL chooses
 * between its own and walking the list, whichever it expects to end sooner.
 */
export function searchKeys(
  shape: Shape,
  p: Params,
  backwards: boolean,
  dialect: Dialect,
): Fragment {
  if (dialect === "postgres") {
    const walked: Shape = { ...shape, order: "position", descending: backwards, timed: false };
    const matching = sql`and search like ${p.pattern}`;
    return foundKeys(walked, p, dialect, sql`limit ${sql.lit(shape.gather)}`, matching);
  }
  const order = sql.raw(backwards ? "desc" : "asc");
  const behind = sql.raw(backwards ? "<" : ">");
  return sql`select rowid as position from certificate_search
    where certificate_search match ${p.match} and rowid ${behind} ${p.position}
    order by rowid ${order} limit ${sql.lit(shape.gather)}`;
}

/** Keys of a selection in the order of an index: an arm for each kind. */
export function foundKeys(
  shape: Shape,
  p: Params,
  dialect: Dialect,
  window: Fragment,
  condition: Fragment = sql``,
): Fragment {
  const arms = armsOf(shape, p, dialect, condition).map((arm, _, all) =>
    // PostgreSQL merges arms that say their order; from the order of the whole it does not take it, and sorts.
    dialect === "postgres" && all.length > 1
      ? sql`(${arm} ${sortedBy(shape, sql.ref(`c.${shape.order}`), sql.ref("c.position"))})`
      : arm
  );
  const order = sortedBy(shape, sql.ref("key"), sql.ref("position"));
  return sql`${sql.join(arms, sql` union all `)} ${order} ${window}`;
}

/** The same keys in any order: for counting. */
export function unsortedKeys(
  shape: Shape,
  p: Params,
  dialect: Dialect,
  window: Fragment,
): Fragment {
  return sql`${sql.join(armsOf(shape, p, dialect, sql``), sql` union all `)} ${window}`;
}

function armsOf(shape: Shape, p: Params, dialect: Dialect, condition: Fragment): Fragment[] {
  return kindsOf(shape, p).map((kind) =>
    sql`select kind, c.position, ${sql.ref(`c.${shape.order}`)} as key
      from ${walked(shape, p, kind, dialect)} ${condition}`
  );
}

/** Rows of one walk: what is skipped is skipped in the index. */
export function directRows(shape: Shape, p: Params, dialect: Dialect, window: Fragment) {
  const [kind = null] = kindsOf(shape, p);
  const key = sql.ref(`c.${shape.order}`);
  const order = sortedBy(shape, key, sql.ref("c.position"));
  return sql<ListedRow>`select ${selected(shape.columns).columns}
    from ${walked(shape, p, kind, dialect)} ${order} ${window}`;
}

/** One kind for each arm; null where all kinds are walked at once, in the order of addition. */
function kindsOf(shape: Shape, p: Params): (number | null)[] {
  if (shape.all) return shape.order === "position" ? [null] : [p.k0, p.k1, p.k2, p.k3];
  return [p.k0, p.k1].slice(0, shape.arms);
}

/** The rows behind a place in the order of an index, as `c`. */
function walked(shape: Shape, p: Params, kind: number | null, dialect: Dialect): Fragment {
  const column = sql.ref(`c.${shape.order}`);
  const behind = sql.raw(shape.descending ? "<" : ">");
  const place = shape.order === "position"
    ? sql`c.position ${behind} ${p.position}`
    : sql`(${column}, c.position) ${behind} (${p.key}, ${p.position})`;
  // SQLite knows nothing of how rare a kind is; of two indexes in the same order it would take either.
  const index = dialect === "sqlite" && shape.order === "position" && kind !== null
    ? sql`indexed by certificates_added`
    : sql``;
  return sql`certificates as c ${index} where c.org_id = ${p.org_id}
    ${kind === null ? sql`` : sql`and c.kind = ${kind}`} and ${place}
    ${shape.timed ? sql`and ${validity("c.", p)}` : sql``}`;
}

/** Which row a key stands for. */
export function keyed(p: Params, searching: boolean): Fragment {
  // The keys of a search may be another organisation's, or of a kind that is not wanted.
  const kind = searching
    ? sql`c.kind in (${p.k0}, ${p.k1}, ${p.k2}, ${p.k3})`
    : sql`c.kind = k.kind`;
  return sql`c.org_id = ${p.org_id} and c.position = k.position and ${kind}`;
}

/** The columns of a row, and the table of files with its condition where it is wanted. */
function selected(wanted: Columns) {
  const details = wanted === "basics" ? sql`''` : sql`c.details`;
  const columns = sql`c.fingerprint, c.position, c.kind, c.not_before, c.not_after, c.subject_key,
    c.head, c.tail, ${details} as details`;
  return wanted === "files"
    ? {
      columns: sql`${columns}, f.certificate`,
      files: sql`certificate_files as f`,
      ofFile: sql`f.org_id = c.org_id and f.fingerprint = c.fingerprint`,
    }
    : { columns, files: null, ofFile: null };
}

/** The rows that keys stand for. */
export function rowsOf(shape: Shape, keys: Fragment, key: Fragment) {
  return rowsWhere(shape.columns, sql`(${keys}) as k cross join certificates as c`, key);
}

/**
 * The rows that up to `most` keys stand for, as far as these conditions hold. They are asked above a limit of their
 * own: else PostgreSQL may begin with all rows that meet them.
 */
export function sievedRows(
  shape: Shape,
  keys: { text: Fragment; key: Fragment; most: number },
  conditions: Fragment,
) {
  const looked = sql`(select c.* from (${keys.text}) as k cross join certificates as c
    where ${keys.key} limit ${sql.lit(keys.most)}) as c`;
  return rowsWhere(shape.columns, looked, conditions);
}

/** The rows of `from`, where certificates are `c`, with their files where these are wanted. */
export function rowsWhere(wanted: Columns, from: Fragment, conditions: Fragment) {
  const { columns, files, ofFile } = selected(wanted);
  return sql<ListedRow>`select ${columns} from ${from} ${files ? sql`cross join ${files}` : sql``}
    where ${conditions} ${ofFile ? sql`and ${ofFile}` : sql``}`;
}

/** The condition on time. */
export function validity(prefix: "" | "c.", p: Params): Fragment {
  const column = (name: string) => sql.ref(`${prefix}${name}`);
  return sql`${column("not_after")} >= ${p.na_from} and ${column("not_after")} < ${p.na_to}
    and ${column("not_before")} >= ${p.nb_from} and ${column("not_before")} < ${p.nb_to}`;
}

/** The search, held against the row itself. */
export function holdsText(p: Params, dialect: Dialect): Fragment {
  return dialect === "postgres"
    ? sql`c.search like ${p.pattern}`
    : sql`instr(c.search, ${p.search}) > 0`;
}

/** Position decides among equal keys. */
export function sortedBy(shape: Shape, key: Fragment, position: Fragment): Fragment {
  const direction = sql.raw(shape.descending ? "desc" : "asc");
  return shape.order === "position"
    ? sql`order by ${position} ${direction}`
    : sql`order by ${key} ${direction}, ${position} ${direction}`;
}

/** What decides the order of two rows; position among equal keys. */
export function compareRows(a: ListedRow, b: ListedRow, order: Order): number {
  return comparePlaces({ key: a[order], position: a.position }, {
    key: b[order],
    position: b.position,
  });
}

/** The same of two places of one order. */
export function comparePlaces(a: After, b: After): number {
  const difference = typeof a.key === "string" ? compareText(a.key, String(b.key)) : 0;
  return difference === 0 ? a.position - b.position : difference;
}

/** By code points, as both engines do; JavaScript's own order is that of UTF-16. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
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

const NO_TIMES: Times = { na_from: "", na_to: "", nb_from: "", nb_to: "" };
