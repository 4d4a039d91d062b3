import type { Compilable } from "kysely";

/**
 * The tables by whose rows kept answers go, and the column that names a row beside `org_id`; null:
 * whatever is written to an organisation's rows counts as a change of all of them. Writes to other
 * tables end no kept answer.
 *
 * `list_counts` and the indexes of texts are not among them: they change only with the rows that
 * they count or find.
 */
const TABLES = {
  key_requests: "id",
  developers: "id",
  certificates: "fingerprint",
  catalogues: null,
  catalogue_entries: null,
  api_visibilities: null,
  portal_configurations: null,
  portal_documents: null,
  plans: null,
  plan_ids: null,
  credentials: "key_id",
  credential_uses: "key_id",
  ended_keys: null,
  leaks: null,
  gateways: null,
} as const satisfies Record<string, string | null>;

type Table = keyof typeof TABLES;

/** Something in the store that an answer was made of, or that a write may have changed. */
export type Part = string;

/** The part of a write whose changes are unknown. */
export const EVERYTHING: Part = "*";

/** The parts on which an answer of one row, or of its absence, depends. */
export function oneRow(
  table: { [T in Table]: (typeof TABLES)[T] extends null ? never : T }[Table],
  org_id: string,
  id: string,
): Part[] {
  return [rowPart(table, org_id, id), table];
}

/** The parts on which an answer of any rows of an organisation depends. */
export function rowsOf(table: Table, org_id: string): Part[] {
  return [`${table} ${org_id}`, table];
}

function rowPart(table: string, org_id: string, id: string): Part {
  return `${table} ${org_id} ${id}`;
}

/**
 * The parts of the store that a write with these parameters may change, besides those that no
 * answer goes by.
 */
export type Touches = (params: object) => readonly Part[];

/**
 * How to tell what a write touches: by its table, and by its row where the statement names one by
 * plain parameters. Deny by default: what is not understood touches everything, and a write whose
 * row is not known, its whole table.
 */
export function touchesOf(query: ReturnType<Compilable["compile"]>): Touches {
  const table = tableOf(query);
  if (table === undefined) return () => [EVERYTHING];
  if (!isKeptBy(table)) return () => [];
  const named = namedColumns(query.query as Node);
  const id = TABLES[table];
  const orgName = named.get("org_id");
  const idName = id === null ? undefined : named.get(id);
  if (orgName === undefined || (id !== null && idName === undefined)) return () => [table];
  return (params) => {
    // as: `statement` types the parameters, and those that name a row are texts.
    const values = params as Record<string, string>;
    const org_id = values[orgName] ?? "";
    const all = `${table} ${org_id}`;
    return idName === undefined ? [all] : [all, rowPart(table, org_id, values[idName] ?? "")];
  };
}

function isKeptBy(table: string): table is Table {
  return Object.hasOwn(TABLES, table);
}

/** The one table that a statement writes to; undefined where that is not clear. */
function tableOf({ sql }: { sql: string }): string | undefined {
  return /^\s*(?:insert into|update|delete from) "?(\w+)"?\s/i.exec(sql)?.[1];
}

/** As much of the builder's tree as is looked at. */
interface Node {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/**
 * The columns of which the statement itself says that every row that it writes to has a parameter's
 * value there, with the parameter's name: an insert's values, or what its `where` demands beside
 * all else.
 */
function namedColumns(query: Node): Map<string, string> {
  const named = new Map<string, string>();
  if (query.kind === "InsertQueryNode") addInserted(named, query);
  // A change could give the row another name.
  if (query.kind === "UpdateQueryNode" || query.kind === "DeleteQueryNode") {
    addDemanded(named, member(query.where, "where"));
    for (const update of list(query.updates)) named.delete(columnName(member(update, "column")));
  }
  return named;
}

function addInserted(named: Map<string, string>, query: Node): void {
  const rows = list(member(query.values, "values"));
  // Of several rows each has names of its own, and what happens instead of an insert may be
  // anything.
  if (rows.length !== 1) return;
  const values = list(member(rows[0], "values"));
  for (const [i, column] of list(query.columns).entries()) {
    const name = parameterName(values[i]);
    if (name !== undefined) named.set(columnName(column), name);
  }
  if (query.onConflict === undefined) return;
  // The row that is changed instead has the same values in the columns of the conflict, and in no
  // other for certain.
  const same = new Set(list(member(query.onConflict, "columns")).map(columnName));
  for (const column of [...named.keys()]) if (!same.has(column)) named.delete(column);
}

function addDemanded(named: Map<string, string>, condition: unknown): void {
  const node = asNode(condition);
  if (node?.kind === "AndNode") {
    addDemanded(named, node.left);
    addDemanded(named, node.right);
  } else if (node?.kind === "BinaryOperationNode" && member(node.operator, "operator") === "=") {
    // With a table's name it may be another table's column.
    const isOwn = member(node.leftOperand, "table") === undefined;
    const column = isOwn ? columnName(member(node.leftOperand, "column")) : "";
    const name = parameterName(node.rightOperand);
    if (column !== "" && name !== undefined) named.set(column, name);
  }
}

/** The name of a placeholder of `statement`, bare or as a value of the tree. */
function parameterName(value: unknown): string | undefined {
  const node = asNode(value);
  const placeholder = node?.kind === "ValueNode" ? node.value : value;
  if (typeof placeholder !== "object" || placeholder === null) return undefined;
  return !("kind" in placeholder) && "name" in placeholder ? String(placeholder.name) : undefined;
}

function columnName(column: unknown): string {
  return String(member(member(column, "column"), "name") ?? "");
}

function member(node: unknown, name: string): unknown {
  return asNode(node)?.[name];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asNode(value: unknown): Node | undefined {
  // as: whatever is no node has none of its members.
  return typeof value === "object" && value !== null ? value as Node : undefined;
}
