import { type RawBuilder, sql } from "kysely";
import { Buffer } from "node:buffer";
import type { Dialect } from "../../storage/statement.ts";
import { searchWords } from "./certificate-entry.ts";
import { hasPrivate, isAuthority } from "./certificate.ts";
import type { After, Order, Selection, Times } from "./selection.ts";
import type { StoredCare, StoredCertificate } from "./stored-certificate.ts";

/** The parts of the statements of certificate-list.store.ts. */

/** A certificate of a list, with the columns that may sort it. */
export interface ListedRow extends StoredCertificate, StoredCare {
  position: number;
  subject_key: string;
  /** Base64 of the DER; only where `files` was asked for. */
  certificate?: string;
}

/** Which columns are wanted; Details, owner and tags are empty but for those who want them. */
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
  /** The search as it is, and as each engine takes it. */
  search: string;
  match: string;
  pattern: string;
}

/** A piece of SQL. */
export type Fragment = RawBuilder<unknown>;

/** False: without a condition on time. */
export type Timed = false | "valid" | "invalid";

/** A walk of an index, as it is in a statement's text; everything else is a parameter. */
export interface Walk {
  /** How many kinds are wanted: one, two or four. */
  kinds: number;
  order: Order;
  descending: boolean;
  /** Only what the condition on time wants: of what can be valid, or of what never can. */
  timed: Timed;
  /** True: of all kinds no column is wanted that the index of what lists show lacks. */
  listed?: boolean;
  /** A literal in the text: SQLite plans a statement anew each time that its limit is bound. */
  limit: number;
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

/**
 * The keys of a search in the order of addition, by an index of trigrams. SQLite's holds kinds and
 * organisation too; PostgreSQL chooses between its own and walking the list, whichever it expects
 * to end sooner.
 */
export function searchKeys(walk: Walk, p: Params, dialect: Dialect): Fragment {
  const { descending, limit } = walk;
  if (dialect === "postgres") {
    return walkedKeys(walk, p, dialect, sql`limit ${sql.lit(limit)}`, holdsText("", p, dialect));
  }
  return sql`select rowid as position from certificate_search
    where certificate_search match ${p.match}
      and rowid ${sql.raw(descending ? "<" : ">")} ${p.position}
    order by rowid ${sql.raw(descending ? "desc" : "asc")} limit ${sql.lit(limit)}`;
}

/** The keys of a walk: each kind walks its own index, and the engine merges them. */
export function walkedKeys(
  walk: Walk,
  p: Params,
  dialect: Dialect,
  window: Fragment,
  condition?: Fragment,
): Fragment {
  const arms = armsOf(walk, p, dialect, condition).map((arm, _, all) =>
    // PostgreSQL merges arms that say their order; from the order of the whole it does not take it,
    // and sorts.
    dialect === "postgres" && all.length > 1
      ? sql`(${arm} ${sortedBy(walk, sql.ref(`c.${walk.order}`), sql.ref("c.position"))})`
      : arm
  );
  const order = sortedBy(walk, sql.ref("key"), sql.ref("position"));
  return sql`${sql.join(arms, sql` union all `)} ${order} ${window}`;
}

/**
 * The keys in any order: for counting. PostgreSQL gets the order all the same, so that it begins
 * with the end of the validity that narrows most.
 */
export function unsortedKeys(walk: Walk, p: Params, dialect: Dialect): Fragment {
  const window = sql`limit ${sql.lit(walk.limit)}`;
  const order = sortedBy(walk, sql.ref(`c.${walk.order}`), sql.ref("c.position"));
  const arms = armsOf(walk, p, dialect);
  if (dialect === "sqlite") return sql`${sql.join(arms, sql` union all `)} ${window}`;
  const [only, second] = arms;
  if (only && !second) return sql`${only} ${order} ${window}`;
  const each = arms.map((arm) => sql`(${arm} ${order} ${window})`);
  return sql`${sql.join(each, sql` union all `)} ${window}`;
}

/**
 * `columns` of the rows of a walk of one arm that meet `condition`: what is skipped is skipped in
 * the index.
 */
export function directRows(
  columns: Fragment,
  walk: Walk,
  p: Params,
  dialect: Dialect,
  window: Fragment,
  condition: Fragment = sql``,
) {
  const [kind = null] = kindsOf(walk, p);
  const order = sortedBy(walk, sql.ref(`c.${walk.order}`), sql.ref("c.position"));
  return sql<ListedRow>`select ${columns}
    from ${walked(walk, p, kind, dialect)} ${condition} ${order} ${window}`;
}

/** One kind for each arm; null where all kinds are walked at once, in the order of addition. */
export function kindsOf({ kinds, order }: Walk, p: Params): (number | null)[] {
  return kinds === 4 && order === "position" ? [null] : [p.k0, p.k1, p.k2, p.k3].slice(0, kinds);
}

/** Which row a key represents. */
export function keyed(p: Params, searching: boolean): Fragment {
  // The keys of a search may be another organisation's, or of a kind that is not wanted.
  const kind = searching
    ? sql`c.kind in (${p.k0}, ${p.k1}, ${p.k2}, ${p.k3})`
    : sql`c.kind = k.kind`;
  return sql`c.org_id = ${p.org_id} and c.position = k.position and ${kind}`;
}

/** The rows of `from`, where certificates are `c`, with their files where these are wanted. */
export function rowsWhere(wanted: Columns, from: Fragment, conditions: Fragment) {
  const columns = columnsOf(wanted);
  if (wanted !== "files") return sql<ListedRow>`select ${columns} from ${from} where ${conditions}`;
  return sql<ListedRow>`select ${columns}, f.certificate
    from ${from} cross join certificate_files as f
    where ${conditions} and f.org_id = c.org_id and f.fingerprint = c.fingerprint`;
}

/**
 * The condition on time. A certificate that ends before it begins meets only the condition of its
 * own.
 */
export function validity(p: Params, timed: "valid" | "invalid"): Fragment {
  return sql`c.not_after >= ${p.na_from} and c.not_after < ${p.na_to}
    and c.not_before >= ${p.nb_from} and c.not_before < ${p.nb_to}
    and c.not_after ${sql.raw(timed === "invalid" ? "<" : ">=")} c.not_before`;
}

/** The search, held against the row itself. */
export function holdsText(prefix: "" | "c.", p: Params, dialect: Dialect): Fragment {
  const search = sql.ref(`${prefix}search`);
  return dialect === "postgres"
    ? sql`${search} like ${p.pattern}`
    : sql`instr(${search}, ${p.search}) > 0`;
}

/** Position decides among equal keys. */
export function sortedBy(
  { order, descending }: Pick<Walk, "order" | "descending">,
  key: Fragment,
  position: Fragment,
): Fragment {
  const direction = sql.raw(descending ? "desc" : "asc");
  return order === "position"
    ? sql`order by ${position} ${direction}`
    : sql`order by ${key} ${direction}, ${position} ${direction}`;
}

/** Compares two positions of one order by their keys; by position among equal keys. */
export function comparePlaces(a: After, b: After): number {
  const difference = typeof a.key === "string" ? compareText(a.key, String(b.key)) : 0;
  return difference === 0 ? a.position - b.position : difference;
}

function armsOf(walk: Walk, p: Params, dialect: Dialect, condition?: Fragment): Fragment[] {
  return kindsOf(walk, p).map((kind) =>
    sql`select kind, c.position, ${sql.ref(`c.${walk.order}`)} as key
      from ${walked(walk, p, kind, dialect)} ${condition ? sql`and ${condition}` : sql``}`
  );
}

/** The rows behind a place in the order of an index, as `c`. */
function walked(walk: Walk, p: Params, kind: number | null, dialect: Dialect): Fragment {
  const column = sql.ref(`c.${walk.order}`);
  const behind = sql.raw(walk.descending ? "<" : ">");
  const place = walk.order === "position"
    ? sql`c.position ${behind} ${p.position}`
    : sql`(${column}, c.position) ${behind} (${p.key}, ${p.position})`;
  const isListed = walk.listed === true && kind === null;
  const name = dialect === "sqlite" ? indexOf(walk, kind) : undefined;
  const index = name ? sql`indexed by ${sql.ref(name)}` : sql``;
  return sql`certificates as c ${index} where c.org_id = ${p.org_id}
    ${kind === null ? sql`` : sql`and c.kind = ${kind}`} and ${place}
    ${isListed ? sql`and c.kind >= 0` : sql``}
    ${walk.timed ? sql`and ${validity(p, walk.timed)}` : sql``}`;
}

/**
 * The index that SQLite has to go by where it might take another: it knows nothing of how rare a
 * kind is, of two indexes in the same order it would take either, and of two ends of the validity
 * that are narrowed it may begin with the one that narrows nothing.
 */
function indexOf({ order, timed, listed }: Walk, kind: number | null): string | undefined {
  if (timed === "invalid") return "certificates_invalid";
  if (timed) return `certificates_${order}`;
  if (order !== "position") return undefined;
  if (listed === true && kind === null) return "certificates_listed";
  return kind === null ? undefined : "certificates_added";
}

const NO_DETAILS = sql`'' as details, null as owner, null as tags`;

/** The columns of a listed row. */
export function columnsOf(wanted: Columns): Fragment {
  return sql`c.fingerprint, c.position, c.kind, c.not_before, c.not_after, c.subject_key,
    c.head, c.tail, ${wanted === "details" ? sql`c.details, c.owner, c.tags` : NO_DETAILS}`;
}

/** By code points, as both engines do; JavaScript's own order is that of UTF-16. */
function compareText(a: string, b: string): number {
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
