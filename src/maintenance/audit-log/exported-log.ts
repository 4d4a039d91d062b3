import { z } from "zod";
import type { StoredEvent } from "../../changes/audit-content.ts";
import { verifierText } from "../../../packages/audit-log/checkpoint.ts";
import { Frontier } from "../../../packages/audit-log/merkle.ts";
import type { Connection } from "../../storage/storage.ts";
import { originOf } from "./leaf.ts";
import type { FoundEvent, Leaf } from "./log-found.ts";
import { keptCheckpoints, leavesFrom, rowsOf } from "./log-reading.store.ts";
import { type AuditLogLog, findLog, waitingEvents } from "./logs.store.ts";
import { checkpointsOf, dayAfterUpgrade, storeVerifiers } from "./verify-store.ts";

/*
 * An export that can be proved is made of lines of four forms: `log`, where a log begins; `leaves`,
 * the next entries of it; a row for each of these that is there; and `end`. docs/audit-log.md has
 * them for others.
 */

/** Whatever a person made of a member: the row's hash says whether it is what it was. */
const anything = z.unknown();

const rowLine = z.object({
  org_id: z.string(),
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  object: z.string(),
  object_id: z.string(),
  detail: anything,
  personal: anything,
  token_id: z.string(),
  session: z.string(),
  request_id: z.string(),
  caller_request_id: z.string().optional(),
  client_address: z.string(),
  salts: anything,
  erased: anything,
  leaf_index: z.number().int().nullable(),
});

const place = z.number().int().nonnegative();

/** The proof of one row, as `GET /v1/audit-log/{id}/proof` gives it. */
const proofLine = z.object({
  org_id: z.string(),
  event: rowLine.omit({ leaf_index: true }),
  kind: z.string(),
  leaf_index: place,
  leaf_hash: z.string(),
  checkpoint: z.string(),
  audit_path: z.array(z.string()),
  keys: z.array(z.string()),
});

/** A line of an export that can be proved, or the proof of one row. */
export const exportedLine = z.union([
  proofLine,
  z.object({
    org_id: z.string(),
    log: z.object({
      origin: z.string(),
      from: place,
      frontier: z.string(),
      keys: z.array(z.string()),
      checkpoints: z.array(z.string()),
      older_until: z.string(),
      whole: z.boolean(),
    }),
  }),
  z.object({
    org_id: z.string(),
    leaves: z.object({
      from: place,
      entries: z.array(z.tuple([z.string(), z.string(), z.string()])),
    }),
  }),
  z.object({
    org_id: z.string(),
    end: z.object({ size: place, checkpoints: z.array(z.string()) }),
  }),
  rowLine,
]);
/** The line after reading. */
export type ExportedLine = z.output<typeof exportedLine>;

/** A row of a line, as the store would hold it. */
export function rowOfLine(line: z.output<typeof rowLine>): FoundEvent {
  const { detail, personal, salts, erased, caller_request_id = "", ...rest } = line;
  return {
    ...rest,
    caller_request_id,
    detail: JSON.stringify(detail ?? null),
    personal: JSON.stringify(personal ?? null),
    salts: JSON.stringify(salts ?? null),
    erased: JSON.stringify(erased ?? null),
  };
}

/**
 * A row as a line of JSON. `leaf_index` null: it waits for the log. Text that is no JSON stays
 * text.
 */
export function eventLine(row: StoredEvent, leaf_index: number | null): string {
  const { detail, personal, salts, erased, caller_request_id, ...rest } = onlyColumns(row);
  const parsed = {
    detail: parsedOrText(detail),
    personal: parsedOrText(personal),
    salts: parsedOrText(salts),
    erased: parsedOrText(erased),
  };
  // As the content of the row has it: only where there is one.
  const own = caller_request_id === "" ? {} : { caller_request_id };
  return `${JSON.stringify({ ...rest, ...own, ...parsed, leaf_index })}\n`;
}

function parsedOrText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** The range of a log to export. */
interface LogRange {
  /** From the first entry on that is not from before this id. */
  from?: string | undefined;
  /** Until just before the first entry not older than this id: a whole stretch of the log. */
  until?: string | undefined;
}

/** One piece of an export: lines, and where the log goes on behind them. */
interface LogPiece {
  text: string;
  /** The place of the next entry. */
  next: number;
}

/** The beginning of an export of an organisation's log, and where its entries begin. */
export async function logHead(
  db: Connection,
  org_id: string,
  range: LogRange,
): Promise<{ log: AuditLogLog | undefined; piece: LogPiece }> {
  const log = await findLog(db, org_id);
  const frontier = new Frontier(log?.cut_size ?? 0, log?.cut_frontier ?? "");
  if (range.from !== undefined && log) {
    await advance(db, org_id, frontier, { to: log.size, before: range.from });
  }
  const keys = (await storeVerifiers(db, org_id)).map(verifierText);
  const checkpoints = log ? await checkpointsOf(db, log) : [];
  const head = {
    origin: originOf(org_id),
    from: frontier.size,
    frontier: frontier.toString(),
    keys,
    checkpoints,
    older_until: await dayAfterUpgrade(db),
    whole: range.until === undefined,
  };
  const text = `${JSON.stringify({ org_id, log: head })}\n`;
  return { log, piece: { text, next: frontier.size } };
}

/** Up to 250 entries of a log with their rows; undefined where the range ends. */
export async function logEntries(
  db: Connection,
  org_id: string,
  at: { from: number; to: number; until?: string | undefined },
): Promise<LogPiece | undefined> {
  const leaves = (await leavesFrom(db, org_id, at.from)).filter((leaf) => leaf.leaf_index < at.to);
  const end = leaves.findIndex(({ event_id }) => at.until !== undefined && event_id >= at.until);
  const taken = end === -1 ? leaves : leaves.slice(0, end);
  const last = taken.at(-1);
  if (!last) return undefined;
  const rows = await rowsOf(db, org_id, taken);
  const lines = taken.map(({ leaf_index }) => {
    const row = rows.get(leaf_index);
    return row ? eventLine(row, row.leaf_index) : "";
  });
  return { text: `${tilesOf(org_id, taken)}${lines.join("")}`, next: last.leaf_index + 1 };
}

/** The end of an export. `size`: how many entries the log has up to here. */
export async function logEnd(db: Connection, org_id: string, size: number): Promise<string> {
  const notes = (await keptCheckpoints(db, org_id, size)).filter((one) => one.size === size);
  const end = { size, checkpoints: notes.map(({ note }) => note) };
  return `${JSON.stringify({ org_id, end })}\n`;
}

/** The log of an organisation to its end, and what waits for it, piece by piece. */
export async function* exportedLog(
  db: Connection,
  org_id: string,
  range: { from?: string | undefined },
): AsyncGenerator<string, void, void> {
  const { log, piece } = await logHead(db, org_id, range);
  yield piece.text;
  let { next } = piece;
  const to = log?.size ?? 0;
  while (true) {
    const entries = await logEntries(db, org_id, { from: next, to });
    if (!entries) break;
    yield entries.text;
    next = entries.next;
  }
  for (let behind: string | undefined = range.from ?? ""; behind !== undefined;) {
    const rows = await waitingEvents(db, org_id, behind);
    yield rows.map((row) => eventLine(row, null)).join("");
    behind = rows.at(-1)?.id;
  }
  yield await logEnd(db, org_id, next);
}

/** Adds the entries from before an id to a frontier, as far as they are one stretch. */
async function advance(
  db: Connection,
  org_id: string,
  frontier: Frontier,
  { to, before }: { to: number; before: string },
): Promise<void> {
  while (frontier.size < to) {
    const leaves = await leavesFrom(db, org_id, frontier.size);
    if (leaves.length === 0) return;
    for (const { leaf_index, event_id, leaf_hash } of leaves) {
      if (event_id >= before || leaf_index !== frontier.size) return;
      frontier.add(leaf_hash);
    }
  }
}

/** The entries, in lines of one stretch each. */
function tilesOf(org_id: string, leaves: readonly Leaf[]): string {
  let text = "";
  for (let from = 0; from < leaves.length;) {
    const first = leaves[from]?.leaf_index ?? 0;
    let to = from;
    while (leaves[to]?.leaf_index === first + to - from) to++;
    const entries = leaves.slice(from, to).map((
      leaf,
    ) => [leaf.event_id, leaf.kind, leaf.leaf_hash]);
    text += `${JSON.stringify({ org_id, leaves: { from: first, entries } })}\n`;
    from = to;
  }
  return text;
}

function onlyColumns(row: StoredEvent): StoredEvent {
  const { org_id, id, at, actor, action, object, object_id, detail, personal } = row;
  const { token_id, session, request_id, caller_request_id, client_address } = row;
  const { salts, erased } = row;
  return {
    org_id,
    id,
    at,
    actor,
    action,
    object,
    object_id,
    detail,
    personal,
    token_id,
    session,
    request_id,
    caller_request_id,
    client_address,
    salts,
    erased,
  };
}
