import { sha256 } from "../../kernel/sha256.ts";
import type { Connection } from "../../storage/storage.ts";
import {
  outletRowOf,
  UNSENT_AT_ONCE,
  type UnsentRow,
  unsentRows,
} from "../audit-stream/unsent-rows.store.ts";
import { leavesFrom } from "./log-reading.store.ts";
import type { NumberedLine } from "./verify-file.ts";

/** How the content of a row begins, behind whatever a receiver writes in front of it. */
const CONTENT = '{"action":';
/** Lines that are looked at for a row before a file is taken for an export. */
const LINES_LOOKED_AT = 100;
/** Rows that are named, of each kind. */
const MOST_NAMED = 100;

/** A row as a receiver has it. */
interface Received {
  readonly hash: string;
  times: number;
  /** Whether another text has the same id. */
  isTwoTexts: boolean;
}

/** The content of a receiver's file. */
interface ReceivedRows {
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, Received>>;
  /** The numbers of lines with a row that was cut or changed, so that it is no JSON. */
  readonly torn: readonly number[];
}

/** The result for an organisation's log at a receiver. */
export interface ReceivedLog {
  readonly org_id: string;
  /** Rows that stand there as they were written, and how many of them more than once. */
  readonly there: number;
  readonly doubled: number;
  /** Rows that are not there and that the server has yet to send, or to see confirmed. */
  readonly waiting: number;
  /** Other rows of the log, from the first one there on, that are not; `ids`: the first of them. */
  readonly missing: { count: number; ids: string[] };
  /** Rows whose text is another one than the log's. */
  readonly changed: { count: number; ids: string[] };
  /** Rows that the store does not have: it was put back, cut by retention, or they are made up. */
  readonly unknown: { count: number; ids: string[] };
}

/** Whether lines are those of a receiver of rows, and not of an export with its proof. */
export async function isReceived(lines: AsyncIterable<NumberedLine>): Promise<boolean> {
  for await (const { line, text } of lines) {
    if (text.includes(CONTENT)) return true;
    if (text.startsWith("{") || line >= LINES_LOOKED_AT) return false;
  }
  return false;
}

/** Reads a receiver's file. Of each row it keeps the id and the hash; other lines count nothing. */
export async function readReceived(lines: AsyncIterable<NumberedLine>): Promise<ReceivedRows> {
  const rows = new Map<string, Map<string, Received>>();
  const torn: number[] = [];
  for await (const { line, text } of lines) {
    const begin = text.indexOf(CONTENT);
    if (begin < 0) continue;
    const content = text.slice(begin).trimEnd();
    const named = namesIn(content);
    if (!named) {
      torn.push(line);
      continue;
    }
    const ofOne = rows.get(named.org_id) ?? new Map<string, Received>();
    rows.set(named.org_id, ofOne);
    const hash = sha256(`\0${content}`);
    const before = ofOne.get(named.id);
    if (!before) ofOne.set(named.id, { hash, times: 1, isTwoTexts: false });
    else {
      before.times++;
      before.isTwoTexts ||= before.hash !== hash;
    }
  }
  return { rows, torn };
}

/** Compares what a receiver has of a log with the log's entries and the rows that wait for it. */
export async function compareReceived(
  db: Connection,
  org_id: string,
  received: ReceivedRows,
): Promise<ReceivedLog> {
  const left = new Map(received.rows.get(org_id));
  const [missing, changed, unknown] = [named(), named(), named()];
  const unsent = await unsentIds(db, org_id);
  let [there, doubled, waiting] = [0, 0, 0];
  const compare = (id: string, row: Received, hash: string) => {
    left.delete(id);
    if (row.isTwoTexts || row.hash !== hash) return changed.add(id);
    there++;
    if (row.times > 1) doubled++;
  };
  for (let from = 0;;) {
    const leaves = await leavesFrom(db, org_id, from);
    for (const { event_id, leaf_hash } of leaves) {
      const row = left.get(event_id);
      if (row) compare(event_id, row, leaf_hash);
      else if (unsent.has(event_id)) waiting++;
      else if (there + changed.count > 0) missing.add(event_id);
    }
    const last = leaves.at(-1);
    if (!last) break;
    from = last.leaf_index + 1;
  }
  for (const [id, row] of [...left]) {
    const own = await outletRowOf(db, { org_id, event_id: id, at: "" });
    if (own) compare(id, row, sha256(`\0${own.content}`));
    else unknown.add(id);
  }
  return { org_id, there, doubled, waiting, missing, changed, unknown };
}

async function unsentIds(db: Connection, org_id: string): Promise<Set<string>> {
  const found = new Set<string>();
  let behind: UnsentRow | undefined;
  do {
    const rows = await unsentRows(db, "9999", behind);
    for (const row of rows) if (row.org_id === org_id) found.add(row.event_id);
    behind = rows.length < UNSENT_AT_ONCE ? undefined : rows.at(-1);
  } while (behind);
  return found;
}

function named() {
  return {
    count: 0,
    ids: [] as string[],
    add(id: string): void {
      if (++this.count <= MOST_NAMED) this.ids.push(id);
    },
  };
}

function namesIn(content: string): { id: string; org_id: string } | undefined {
  try {
    const { id, org_id } = JSON.parse(content);
    return typeof id === "string" && typeof org_id === "string" ? { id, org_id } : undefined;
  } catch {
    return undefined;
  }
}
