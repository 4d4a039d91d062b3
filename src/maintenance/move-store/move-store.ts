import { createHash } from "node:crypto";
import { indexText } from "../../features/certificates/certificates.store.ts";
import { searchText } from "../../features/key-requests/search-text.ts";
import { addSearchText } from "../../features/key-requests/search.store.ts";
import type { StoreSession, TableShape } from "../../storage/engines/store-session.ts";
import type { SqlValue } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { inMove } from "./in-move.ts";
import {
  addPositionCounter,
  endProgress,
  findProgress,
  openAgain,
  organisationIds,
  positionCounters,
  putProgress,
} from "./moving.store.ts";
import { chunksOf } from "./table-stream.ts";
import { POSITIONS, type Row, type Translation, translationOf } from "./translation.ts";

/** Tables in which migrations themselves put a row. */
const madeBySteps = ["invalidation_counter", "scrubs"];

/** Two stores of the same schema; the source is closed and held, the target begun by this move. */
export interface Move {
  readonly source: StoreSession;
  readonly target: StoreSession;
  /** Of the pair of stores, and of this run of the command. */
  readonly id: string;
  readonly run: string;
  /** Every table that is copied, as each engine describes it. */
  readonly tables: readonly { from: TableShape; to: TableShape }[];
}

/** Thrown when the target does not hold what the source holds. */
export class MoveDiffers extends Error {}

/** How the source's rows become the target's. */
export async function translationFor({ source, target }: Move): Promise<Translation> {
  return translationOf(
    source.dialect,
    target.dialect,
    await positionCounters(source),
    await organisationIds(source),
  );
}

/**
 * Copies every row that is not copied yet. A chunk and the note of how far it went are one
 * transaction, so that a copy which is broken off at any moment goes on where it stood.
 */
export async function copyTables(
  move: Move,
  translation: Translation,
  onRows: (n: number) => void,
): Promise<void> {
  for (const tables of move.tables) await copyTable(move, translation, tables, onRows);
  await inMove(move, async () => {
    const name = POSITIONS;
    if (await findProgress(move.target, { name })) return;
    for (const counter of translation.positions) await addPositionCounter(move.target, counter);
    await putProgress(move.target, { name, behind: null, copied: 0, done: 1 });
  });
}

async function copyTable(
  move: Move,
  translation: Translation,
  { from, to }: Move["tables"][number],
  onRows: (n: number) => void,
): Promise<void> {
  const { source, target } = move;
  const known = await findProgress(target, { name: from.name });
  let copied = Number(known?.copied ?? 0);
  onRows(copied);
  if (Number(known?.done ?? 0) === 1) return;
  // as: putProgress below wrote exactly this.
  const begin = known?.behind ? JSON.parse(known.behind) as (string | number)[] : null;
  for await (const chunk of chunksOf(source, from, begin)) {
    copied += chunk.rows.length;
    await inMove(move, async () => {
      // Rows of the migrations themselves are replaced by the source's.
      if (!known && madeBySteps.includes(to.name)) await target.exec(`delete from ${to.name}`);
      await addRows(target, to, chunk.rows, translation);
      await putProgress(target, {
        name: from.name,
        behind: chunk.rows.length > 0 ? JSON.stringify(chunk.behind) : known?.behind ?? null,
        copied,
        done: chunk.isLast ? 1 : 0,
      });
    });
    onRows(chunk.rows.length);
  }
}

async function addRows(
  target: StoreSession,
  table: TableShape,
  rows: readonly Row[],
  translation: Translation,
): Promise<void> {
  const rowsOut: Row[] = [];
  for (const row of rows) {
    const translated = translation.row(table.name, withSearchText(table, row, target));
    if (translated) rowsOut.push(translated);
  }
  await target.insertRows(
    table,
    rowsOut.map((row) => table.columns.map(({ name }): SqlValue => row[name] ?? null)),
  );
  if (target.dialect === "sqlite") await indexTexts(target, table, rowsOut, rows);
}

/** The index of texts is SQLite's own: what a table of PostgreSQL knows by itself is put there. */
async function indexTexts(
  target: StoreSession,
  table: TableShape,
  rowsOut: readonly Row[],
  rows: readonly Row[],
): Promise<void> {
  if (table.name === "certificates") {
    for (const row of rowsOut) {
      const { position, kind, search } = row;
      await indexText(target, String(row.org_id), {
        position: Number(position),
        kind: Number(kind),
        search: String(search),
      });
    }
  }
  if (table.name === "key_request_positions") {
    for (const row of rows) {
      const { org_id, position } = row;
      const place = { org_id: String(org_id), position: Number(position) };
      await addSearchText(target, { ...place, text: searchTextOf(row) });
    }
  }
}

function withSearchText(table: TableShape, row: Row, target: StoreSession): Row {
  if (table.name !== "key_request_positions") return row;
  return { ...row, text: target.dialect === "sqlite" ? "" : searchTextOf(row) };
}

/** Empty where the request is gone: the change that will tell the search of that is copied too. */
function searchTextOf(row: Row): string {
  if (row.head === null) return "";
  const { id, by_user, for_plan, head, sent_entry, developer } = row;
  return searchText({
    id: String(id),
    by_user: String(by_user),
    for_plan: String(for_plan),
    head: String(head),
    sent_entry: sent_entry === null ? null : String(sent_entry),
    developer: developer === null ? null : String(developer),
  });
}

/**
 * Reads both stores from the first row to the last and compares them, table by table. Gives what
 * each table holds. Throws MoveDiffers with the names of those that differ.
 */
export async function verifyTables(
  { source, target, tables }: Move,
  translation: Translation,
  onRows: (n: number) => void,
): Promise<(Digest & { table: string })[]> {
  const digests: (Digest & { table: string })[] = [];
  const wrong: string[] = [];
  for (const { from, to } of tables) {
    // The text of a search is the one column that only one engine keeps.
    const columns = to.columns.map(({ name }) => name)
      .filter((name) => from.name !== "key_request_positions" || name !== "text");
    const theirs = (row: Row) => translation.row(from.name, row);
    const isCounter = (row: Row) => to.name === "list_counts" && row.list === POSITIONS;
    const ours = (row: Row) =>
      source.dialect !== target.dialect && isCounter(row) ? undefined : row;
    const expected = await digestOf(source, from, columns, theirs, onRows);
    const found = await digestOf(target, to, columns, ours, onRows);
    if (expected.rows !== found.rows || expected.sha256 !== found.sha256) {
      wrong.push(`${from.name} (${expected.rows} rows in the source, ${found.rows} in the target)`);
    }
    digests.push({ table: from.name, ...found });
  }
  if (source.dialect !== target.dialect) {
    const counters = await positionCounters(target);
    if (JSON.stringify(counters) !== JSON.stringify(translation.positions)) wrong.push(POSITIONS);
  }
  if (wrong.length > 0) throw new MoveDiffers(wrong.join(", "));
  return digests;
}

/** Opens the finished target, which remembers by which move it came: servers may use it now. */
export async function openTarget(move: Move): Promise<void> {
  const { target } = move;
  await inMove(move, async () => {
    await endProgress(target, move.id);
    await openAgain(target);
  });
  await gatherStatistics(target);
}

/** Gathers statistics after the opening; it may be repeated. */
export async function gatherStatistics(target: StoreSession): Promise<void> {
  // Fresh tables have no statistics, without which the planner guesses.
  if (target.dialect === "postgres") await target.exec("analyze");
}

/**
 * The digest of a table: the number of rows, and the SHA-256 of all of them in the order of their
 * keys.
 */
interface Digest {
  rows: number;
  sha256: string;
}

/**
 * The digest of a table, of the columns named, as `translate` shows its rows; those that it leaves
 * out don't count.
 */
async function digestOf(
  db: Connection,
  table: TableShape,
  columns: readonly string[],
  translate: (row: Row) => Row | undefined,
  onRows: (n: number) => void,
): Promise<Digest> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const chunk of chunksOf(db, table, null)) {
    const lines: string[] = [];
    for (const row of chunk.rows) {
      const rowsOut = translate(row);
      if (rowsOut) lines.push(`${JSON.stringify(columns.map((name) => rowsOut[name]))}\n`);
    }
    hash.update(lines.join(""));
    rows += lines.length;
    onRows(chunk.rows.length);
  }
  return { rows, sha256: hash.digest("hex") };
}
