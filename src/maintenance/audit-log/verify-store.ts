import {
  readCheckpoint,
  unsignedNote,
  type Verifier,
} from "../../../packages/audit-log/checkpoint.ts";
import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import { type KeptHead, rootOf } from "./kept-heads.ts";
import { isOwn } from "./signing-key.ts";
import { type HashedEvent, leafNow, originOf } from "./leaf.ts";
import { LogCheck, NO_HASH, timeOf } from "./log-check.ts";
import type { Finding, LogFound } from "./log-found.ts";
import {
  isOrganisation,
  keptCheckpoints,
  leavesFrom,
  type PlacedRow,
  placedRows,
  rowsOf,
  upgradedAt,
} from "./log-reading.store.ts";
import {
  auditLogKeys,
  type AuditLogLog,
  findLog,
  waitingEvent,
  waitingEvents,
} from "./logs.store.ts";

/** The options of a verification. */
export interface VerifyOptions {
  /**
   * The keys that may have signed; without any, Keydesk's own, the private half of which is in the
   * store.
   */
  verifiers?: readonly Verifier[] | undefined;
  /** Checkpoints that were noted earlier. */
  since?: readonly string[] | undefined;
  /**
   * Until when rows without a hash are taken for an earlier release's: a day after the upgrade
   * where it is absent.
   */
  olderUntil?: string | undefined;
  /** The checkpoint kept outside of the store. */
  kept?: KeptHead | undefined;
}

/** The result for an organisation's audit log. */
export interface Verified extends LogFound {
  org_id: string;
  /** How many entries the log has, those that retention has cut among them. */
  size: number;
  cut: number;
  /** Rows that are proven by themselves and wait for the log. */
  waiting: number;
  /**
   * Those of them that have waited for more than five minutes: no server runs, or the log takes
   * nothing in.
   */
  waitingLong: number;
  /** The head outside of the store that the log was compared with; null: with none. */
  compared: { size: number; at: string } | null;
}

/** How long a row may wait for the log beside a server that is well, amply. */
const LONG_MS = 5 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** How often a log is read again from its beginning where retention cuts it meanwhile. */
const ATTEMPTS = 3;

/** Verifies the audit log of one organisation in a store, beside a server or without one. */
export async function verifyStore(
  { storage: { reader }, sealer, clock }: {
    readonly storage: { readonly reader: Connection };
    /** Without one the keys that the store names count as Keydesk's. */
    readonly sealer?: Sealer | undefined;
    readonly clock?: Clock | undefined;
  },
  org_id: string,
  options: VerifyOptions,
): Promise<{ verified: Verified; findings: Finding[] }> {
  for (let attempt = 1;; attempt++) {
    const log = await findLog(reader, org_id) ?? noLog(org_id);
    const findings: Finding[] = [];
    const report = (finding: Finding) => {
      if (findings.length < MOST_REPORTED) findings.push(finding);
    };
    // Retention may have removed what it is of: then nothing can be compared.
    const kept = options.kept && options.kept.size >= log.cut_size ? options.kept : undefined;
    const check = new LogCheck({
      org_id,
      from: log.cut_size,
      frontier: log.cut_frontier,
      verifiers: options.verifiers ?? await storeVerifiers(reader, org_id, sealer),
      since: [...options.since ?? [], ...kept ? [keptNote(kept)] : []],
      begun: log.cut_size === 0 ? await firstCheckpoint(reader, org_id) : undefined,
      olderUntil: options.olderUntil ?? await dayAfterUpgrade(reader),
    }, report);
    await readLog(reader, check, log);
    await readOutside(reader, check, log);
    if (!await isOrganisation(reader, { org_id })) check.allGone(NO_ORGANISATION);
    const longSince = toTimestamp((clock?.now() ?? Date.now()) - LONG_MS);
    const { waiting, waitingLong } = await readRows(reader, check, log, longSince);
    check.end(log.size, { isStore: true, isWhole: true });
    const after = await findLog(reader, org_id);
    if (after?.cut_size !== log.cut_size && after && attempt < ATTEMPTS) continue;
    const { size, cut_size: cut } = log;
    const compared = kept ? { size: kept.size, at: kept.at } : null;
    return {
      verified: { ...check.found, org_id, size, cut, waiting, waitingLong, compared },
      findings,
    };
  }
}

/** A head that is kept outside of the store as a note that no one signed. */
export function keptNote(head: KeptHead): string {
  const { org_id, size } = head;
  return unsignedNote({ origin: originOf(org_id), size, root: rootOf(head) });
}

/** The first checkpoint that is kept of a log; undefined where there is none. */
async function firstCheckpoint(
  db: Connection,
  org_id: string,
): Promise<{ at: string; size: number } | undefined> {
  const [first] = await keptCheckpoints(db, org_id, 0);
  return first;
}

/** The most findings that are reported of one organisation: the first ones are to be looked at. */
export const MOST_REPORTED = 10_000;

/**
 * The heads that were noted and are of none of these logs: each is a finding, as the log that it
 * was of is gone.
 */
export function headsWithoutLog(noted: readonly string[], org_ids: readonly string[]): Finding[] {
  const origins = new Set(org_ids.map(originOf));
  return noted.map((note) => readCheckpoint(note, []).head)
    .filter(({ origin }) => !origins.has(origin))
    .map(({ origin, size: leaf_index }) => {
      const org_id = origin.slice(originOf("").length);
      const why =
        `a head of ${leaf_index} entries was noted of ${origin}, and there is no such log`;
      return { org_id, wrong: "forked", leaf_index, entries: 0, id: "", at: "", why };
    });
}

/**
 * Keydesk's keys that sign an organisation's log: with a sealer those that are certainly its own,
 * without one all that the store names, by any author.
 */
export async function storeVerifiers(
  db: Connection,
  org_id: string,
  sealer?: Sealer,
): Promise<Verifier[]> {
  const name = originOf(org_id);
  return (await auditLogKeys(db)).filter((key) => sealer === undefined || isOwn(key, sealer))
    .map(({ public_key }) => ({ name, public_key }));
}

/** Until when rows without a hash may come from servers of the release before. */
export async function dayAfterUpgrade(db: Connection): Promise<string> {
  const at = await upgradedAt(db);
  return at === "" ? "" : toTimestamp(Date.parse(at) + DAY_MS);
}

/** The checkpoints of a log, from where it is kept on, the newest among them. */
export async function checkpointsOf(db: Connection, log: AuditLogLog): Promise<string[]> {
  const kept = await keptCheckpoints(db, log.org_id, log.cut_size);
  const notes = kept.filter(({ size }) => size <= log.size).map(({ note }) => note);
  return log.checkpoint === "" || notes.includes(log.checkpoint)
    ? notes
    : [...notes, log.checkpoint];
}

function noLog(org_id: string): AuditLogLog {
  return {
    org_id,
    size: 0,
    frontier: "",
    upgrade_until: "",
    key_id: "",
    checkpoint: "",
    checkpoint_at: "",
    cut_size: 0,
    cut_frontier: "",
  };
}

async function readLog(db: Connection, check: LogCheck, log: AuditLogLog): Promise<void> {
  const kept = await keptCheckpoints(db, log.org_id, log.cut_size);
  const end = await sizeNow(db, log);
  for (const note of await checkpointsOf(db, log)) check.checkpoint(note);
  // Checkpoints beyond the end of the log.
  for (const { size, note } of kept) if (size > end) check.checkpoint(note);
  for (let next = log.cut_size; next < log.size;) {
    // Entries appended meanwhile are left to the next time.
    const leaves = (await leavesFrom(db, log.org_id, next)).filter(({ leaf_index }) =>
      leaf_index < log.size
    );
    const rows = await rowsOf(db, log.org_id, leaves);
    for (const leaf of leaves) check.leaf(leaf, rows.get(leaf.leaf_index));
    const last = leaves.at(-1);
    if (!last) break;
    next = last.leaf_index + 1;
  }
}

/** How many entries a log has by now: at least as many as whoever read entries before has seen. */
async function sizeNow(db: Connection, { org_id }: AuditLogLog): Promise<number> {
  return (await findLog(db, org_id))?.size ?? 0;
}

/** Looks for entries before or behind those that the log says it has, and for an empty log. */
async function readOutside(db: Connection, check: LogCheck, log: AuditLogLog): Promise<void> {
  const { org_id } = log;
  const cut = (await leavesFrom(db, org_id, Number.MIN_SAFE_INTEGER))
    .filter(({ leaf_index }) => leaf_index < log.cut_size);
  check.outside(cut, "entries stand before the first that the log says it has");
  for (let next = log.size;;) {
    const leaves = await leavesFrom(db, org_id, next);
    const last = leaves.at(-1);
    if (!last) break;
    const end = await sizeNow(db, log);
    check.outside(
      leaves.filter(({ leaf_index }) => leaf_index >= end),
      `entries stand behind the end of the log, which says it has ${end}`,
    );
    next = last.leaf_index + 1;
  }
  const nameless = await waitingEvent(db, { org_id, id: "" });
  if (nameless) check.inserted({ ...nameless, leaf_index: null }, "a row without an id");
}

/**
 * Looks at every row: whether it is where it says, or waits and is what its hash says. Gives how
 * many wait, and how many since before a time.
 */
async function readRows(
  db: Connection,
  check: LogCheck,
  log: AuditLogLog,
  longSince: string,
): Promise<{ waiting: number; waitingLong: number }> {
  const { org_id } = log;
  const beyond: PlacedRow[] = [];
  let isNext = false;
  let beyondEnd = 0;
  let last = 0;
  let isEmpty = log.size === 0;
  for (let behind: string | undefined = ""; behind !== undefined;) {
    const rows: PlacedRow[] = await placedRows(db, org_id, behind);
    isEmpty &&= rows.length === 0;
    for (const row of rows) {
      if (row.leaf_index === null || row.event_id === row.id) continue;
      if (row.event_id !== null || row.leaf_index < log.size) check.inserted(row, NO_PLACE);
      else {
        beyondEnd++;
        last = Math.max(last, row.leaf_index);
        isNext ||= row.leaf_index === log.size;
        if (beyond.length < MOST_REPORTED) beyond.push(row);
      }
    }
    behind = rows.at(-1)?.id;
  }
  // One that was put in says any place; those whose entries are gone begin where the log ends now,
  // or where retention had cut one of which nothing is left.
  if (beyondEnd > 0 && (isNext || log.size === 0)) check.cutBack(beyondEnd, log.size, last);
  else for (const row of beyond) check.inserted(row, NO_PLACE);
  if (isEmpty) check.allGone("the audit log is empty, and its log is missing");
  const whyWrong = (row: HashedEvent) => {
    if (row.content_hash !== null) {
      return leafNow("written", row) === row.content_hash ? undefined : WRONG_HASH;
    }
    return row.id <= log.upgrade_until || check.mayLackHash(row) ? undefined : NO_HASH;
  };
  let [waiting, waitingLong] = [0, 0];
  for (let behind: string | undefined = ""; behind !== undefined;) {
    const rows = await waitingEvents(db, org_id, behind);
    for (const row of rows) {
      const why = whyWrong(row);
      if (why === undefined) check.read(row, row.content_hash === null ? "older" : "written");
      if (why === undefined) {
        waiting++;
        if (timeOf(row.id) < longSince) waitingLong++;
      } else check.inserted({ ...row, leaf_index: null }, why);
    }
    behind = rows.at(-1)?.id;
  }
  return { waiting, waitingLong };
}

const NO_PLACE = "the row names a position in the log that is another row's, or no row's";

const NO_ORGANISATION =
  "the organisation of this audit log is missing, and Keydesk never removes one";
const WRONG_HASH = "the row waits for the log with another hash than that of its content";
