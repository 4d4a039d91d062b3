import type { StoredEvent } from "../../changes/audit-content.ts";
import {
  readCheckpoint,
  type TreeHead,
  type Verifier,
} from "../../../packages/audit-log/checkpoint.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Frontier } from "../../../packages/audit-log/merkle.ts";
import { leafNow, originOf } from "./leaf.ts";
import type { Finding, FoundEvent, Leaf, LogFound, Wrong } from "./log-found.ts";

/** The data of a log before its entries are read. */
interface LogBegin {
  org_id: string;
  /** How many entries come before the first that is read, and the frontier of the tree of these. */
  from: number;
  frontier: string;
  /** The possible signers. */
  verifiers: readonly Verifier[];
  /** Checkpoints that a person noted earlier. */
  since?: readonly string[] | undefined;
  /** Until when rows without a hash are taken for an earlier release's. */
  olderUntil: string;
  /** The first checkpoint of a log that is whole: when it was made, and of how many entries. */
  begun?: { at: string; size: number } | undefined;
}

/**
 * Follows a log from its first entry that is kept to its last, in order, and compares each with its
 * row and all with the checkpoints. Memory does not grow with the log.
 */
export class LogCheck {
  readonly found: LogFound = {
    entries: 0,
    erased: 0,
    erasedValues: 0,
    reportedErased: 0,
    upgrade: 0,
    older: 0,
    purgedByOlder: 0,
    late: 0,
    firstLate: undefined,
    head: undefined,
    signedBy: undefined,
  };
  /** From what was noted, and from what the rows hold now. */
  readonly #noted: Frontier;
  readonly #actual: Frontier;
  readonly #begin: LogBegin;
  readonly #report: (finding: Finding) => void;
  readonly #checkpoints: { note: string; head: TreeHead; isSince: boolean }[] = [];
  /** False: entries are missing, or differ from what was signed: later roots can't be compared. */
  #whole = true;
  /** Up to which size the log is what was signed. */
  #provedTo: number;
  /** The place of the next entry. */
  #size: number;
  #onlyUpgrade = true;
  /** The newest second of an entry so far. */
  #newest = 0;
  /** The first entries, while none has its row: earlier releases' retention removed rows alone. */
  #leading: { first: Leaf; last: Leaf; n: number } | undefined;
  #purgedBefore = "";
  /** Entries that are older than the beginning of their log, and the first of them. */
  #early = { entries: 0, first: 0 };
  #cuts = new Set<string>();
  /** Whether the head of what was cut was signed. */
  #isCutSigned = false;

  /** Throws NoCheckpoint where `since` is none. */
  constructor(begin: LogBegin, report: (finding: Finding) => void) {
    this.#begin = begin;
    this.#report = report;
    this.#noted = new Frontier(begin.from, begin.frontier);
    this.#actual = new Frontier(begin.from, begin.frontier);
    this.#provedTo = begin.from;
    this.#size = begin.from;
    for (const note of begin.since ?? []) this.#noteSince(note);
  }

  /** A checkpoint, at any time before the entry that it ends with is read. */
  checkpoint(note: string): void {
    const read = readNote(note, this.#begin.verifiers);
    if (!read) return this.#say("unsigned", "what is kept as a checkpoint is none", 0);
    const { head, signedBy } = read;
    const { size, origin } = head;
    if (origin !== originOf(this.#begin.org_id)) {
      return this.#say("unsigned", "a checkpoint of another log is in its place", size);
    }
    if (!signedBy) {
      return this.#say(
        "unsigned",
        `no trusted key signed the checkpoint of ${size} entries: after a loss of the sealing key, give the old key with --key`,
        size,
      );
    }
    if (size < this.#begin.from) return;
    this.#checkpoints.push({ note, head, isSince: false });
    this.#checkpoints.sort((a, b) => a.head.size - b.head.size);
    this.#compare();
  }

  /** The next entry with its row, as it is now. */
  leaf(leaf: Leaf, row: FoundEvent | undefined): void {
    this.gap(leaf.leaf_index);
    const actual = row ? this.#compareRow(leaf, row) : this.#missing(leaf);
    this.found.entries++;
    this.#size++;
    if (!this.#whole) return;
    this.#noted.add(leaf.leaf_hash);
    this.#actual.add(actual ?? leaf.leaf_hash);
    this.#compare();
  }

  /** Entries up to this one, where any are missing themselves. */
  gap(to: number): void {
    const from = this.#size;
    if (to <= from) return;
    this.#whole = false;
    this.#say(
      "removed",
      "these entries of the log are missing, and later ones cannot be compared with a checkpoint",
      from,
      to - from,
    );
    this.#size = to;
  }

  /** A row that says it is in the log, and does not. */
  inserted(row: { id: string; at: string; leaf_index: number | null }, why: string): void {
    const { id, at, leaf_index } = row;
    const { org_id } = this.#begin;
    this.#report({ org_id, wrong: "inserted", leaf_index, entries: 1, id, at, why });
  }

  /** The log itself ends before places that rows have. */
  cutBack(rows: number, size: number, last: number): void {
    const why = `the log is missing or was cut back: it lacks the positions of ${rows} rows`;
    this.#say("removed", why, size, last - size + 1);
  }

  /** Some entries, in their order, which stand outside of the log. */
  outside(leaves: readonly Leaf[], why: string): void {
    const [first] = leaves;
    if (!first) return;
    const { org_id } = this.#begin;
    const { leaf_index, event_id: id } = first;
    const at = timeOf(id);
    const entries = leaves.length;
    this.#report({ org_id, wrong: "inserted", leaf_index, entries, id, at, why });
  }

  /** All of the log is gone, or what it is of. */
  allGone(why: string): void {
    this.#say("removed", why, 0);
  }

  /** A row that is in the log, or waits for it: what retention says counts. `kind`: an entry's. */
  read(row: StoredEvent, kind?: string): void {
    if (row.action === "trail.erased") {
      const { values } = detailOf(row);
      if (typeof values === "number") this.found.reportedErased += values;
    }
    if (row.action !== "retention.purged" || row.object_id !== "audit_events") return;
    const detail = detailOf(row);
    if (typeof detail.before !== "string") return;
    if (detail.cut === undefined) {
      // This release cuts the log: only an earlier one removes rows alone, and writes no hash.
      if (kind === "written") return;
      if (detail.before > this.#purgedBefore) this.#purgedBefore = detail.before;
      return;
    }
    this.#cuts.add(JSON.stringify(detail.cut));
    // Only the newest can be the one that counts.
    if (this.#cuts.size > 1000) this.#cuts = new Set([...this.#cuts].slice(-500));
  }

  /** Whether a row is old enough to be an earlier release's. By its id, which says its time. */
  mayLackHash({ id }: { id: string }): boolean {
    return id.slice(0, 8) <= secondOf(this.#begin.olderUntil);
  }

  /**
   * Ends the check after the last entry. `size`: the log's own number of entries; `isWhole`: its
   * newest entry was read; `isStore`: so was everything that was kept.
   */
  end(size: number, { isStore, isWhole }: { isStore: boolean; isWhole: boolean }): void {
    this.gap(size);
    const { from, frontier } = this.#begin;
    if (this.#leading) {
      const { first, last, n } = this.#leading;
      if (last.event_id.slice(0, 8) < secondOf(this.#purgedBefore)) this.found.purgedByOlder = n;
      else this.#sayRemoved(first, n);
    }
    if (isStore && this.found.erasedValues > this.found.reportedErased) {
      const { erasedValues, reportedErased } = this.found;
      const why =
        `${erasedValues} personal values are erased, and the audit log reports ${reportedErased}: the others were not erased by Keydesk`;
      this.#say("changed", why, from);
    }
    const { entries, first } = this.#early;
    // Of a young organisation it is a demo, or an import, which write older times.
    const isOld = isEarly(this.#begin.org_id, this.#begin.begun?.at ?? "");
    if (entries > 0 && this.found.upgrade === 0 && isOld) {
      const why =
        `${entries} rows are an hour or more older than the first checkpoint of their log: the log was begun anew`;
      this.#say("inserted", why, first, entries);
    }
    if (isStore && from > 0) {
      const root = new Frontier(from, frontier).root();
      if (!this.#cuts.has(JSON.stringify({ size: from, root }))) {
        const why =
          "the entries before this one are missing, and no row says that retention removed them";
        this.#say("removed", why, 0, from);
      } else if (!this.#isCutSigned) {
        const why =
          "the entries before this one are missing, and no checkpoint says that retention removed them";
        this.#say("removed", why, 0, from);
      }
    }
    for (const { head: { size }, isSince } of this.#checkpoints) {
      if (size <= this.#size) continue;
      const noted = `the noted checkpoint has ${size} entries`;
      if (isSince && isWhole) this.#say("forked", `${noted}, and the log has fewer`, size);
      else if (isSince) this.#say("unknown", `${noted}, and this ends before`, size);
      else if (isWhole) {
        this.#say("removed", `entries up to ${size} were signed and are missing`, this.#size);
      }
    }
  }

  #noteSince(note: string): void {
    const { head } = readCheckpoint(note, []);
    if (head.origin !== originOf(this.#begin.org_id)) return;
    if (head.size < this.#begin.from) {
      const why = `the noted checkpoint has ${head.size} entries, which retention has removed`;
      this.#say("unknown", why, head.size);
    } else {
      this.#checkpoints.push({ note, head, isSince: true });
      this.#checkpoints.sort((a, b) => a.head.size - b.head.size);
      this.#compare();
    }
  }

  #compareRow(leaf: Leaf, row: FoundEvent): string | undefined {
    this.read(row, leaf.kind);
    const { kind, event_id, leaf_index } = leaf;
    const found = leafNow(kind, row);
    if (row.erased !== "{}") {
      this.found.erased++;
      // For a row that was changed this is reported.
      if (found === leaf.leaf_hash) this.found.erasedValues += erasedIn(row);
    }
    if (found !== leaf.leaf_hash) {
      this.#sayRow("changed", leaf, row, "the row differs from its entry in the log");
    } else if (row.leaf_index !== leaf_index || row.id !== event_id) {
      this.#sayRow(
        "changed",
        leaf,
        row,
        "the row names another position in the log than its entry",
      );
    }
    this.#compareKind(leaf, row);
    return found;
  }

  #compareKind(leaf: Leaf, row: FoundEvent): void {
    const { kind } = leaf;
    if (kind === "upgrade") {
      this.found.upgrade++;
      if (!this.#onlyUpgrade) {
        const why = "a row from before the upgrade, which came in after it";
        this.#sayRow("inserted", leaf, row, why);
      }
      return;
    }
    this.#onlyUpgrade = false;
    if (kind === "older") {
      this.found.older++;
      if (!this.mayLackHash(row)) this.#sayRow("inserted", leaf, row, NO_HASH);
    }
    if (kind !== "written") return;
    const second = Number.parseInt(leaf.event_id.slice(0, 8), 16);
    if (second < this.#newest - LATE_SECONDS) {
      this.found.late++;
      this.found.firstLate ??= leaf.leaf_index;
    }
    if (second > this.#newest) this.#newest = second;
    const { begun } = this.#begin;
    if (begun && leaf.leaf_index < begun.size && isEarly(leaf.event_id, begun.at)) {
      if (this.#early.entries++ === 0) this.#early.first = leaf.leaf_index;
    }
  }

  #missing(leaf: Leaf): undefined {
    if (leaf.kind !== "upgrade") this.#onlyUpgrade = false;
    const { first = leaf, n = 0 } = this.#leading ?? {};
    // The row that reports the purge of the first ones comes behind them.
    if (n === this.found.entries) this.#leading = { first, last: leaf, n: n + 1 };
    else this.#sayRemoved(leaf, 1);
  }

  /** The place of the entry that comes next. */
  get next(): number {
    return this.#size;
  }

  /** Compares with each checkpoint of the size that was reached. */
  #compare(): void {
    while (this.#checkpoints[0] && this.#checkpoints[0].head.size <= this.#size) {
      const checkpoint = this.#checkpoints.shift();
      if (checkpoint && checkpoint.head.size === this.#size) this.#compareRoot(checkpoint);
    }
  }

  #compareRoot({ note, head, isSince }: { note: string; head: TreeHead; isSince: boolean }): void {
    if (!this.#whole) return;
    const { size, root } = head;
    if (this.#noted.root() === root) {
      this.#provedTo = size;
      if (!isSince) {
        if (size === this.#begin.from) this.#isCutSigned = true;
        this.found.head = head;
        this.found.signedBy = readCheckpoint(note, this.#begin.verifiers).signedBy;
      }
      return;
    }
    if (isSince) {
      const why = `with ${size} entries the log had another root than the one that was noted`;
      return this.#say("forked", why, size);
    }
    this.#whole = false;
    const n = size - this.#provedTo;
    const why = this.#actual.root() === root
      ? "the rows are what was signed, but entries of the log were altered"
      : "what was signed is something else: rows and entries were altered together";
    this.#say("altered", why, this.#provedTo, n);
  }

  #sayRow(wrong: Wrong, leaf: Leaf, row: FoundEvent, why: string): void {
    const { org_id } = this.#begin;
    const { leaf_index, event_id: id } = leaf;
    this.#report({ org_id, wrong, leaf_index, entries: 1, id, at: row.at, why });
  }

  #sayRemoved(leaf: Leaf, entries: number): void {
    const { org_id } = this.#begin;
    const { leaf_index, event_id: id } = leaf;
    const why = "the row was taken into the log and is gone";
    this.#report({ org_id, wrong: "removed", leaf_index, entries, id, at: timeOf(id), why });
  }

  #say(wrong: Wrong, why: string, leaf_index: number, entries = 0): void {
    const { org_id } = this.#begin;
    this.#report({ org_id, wrong, leaf_index, entries, id: "", at: "", why });
  }
}

const LATE_SECONDS = 3600;

/** Whether an id was made an hour or more before a time. */
function isEarly(id: string, at: string): boolean {
  return Date.parse(timeOf(id)) < Date.parse(at) - LATE_SECONDS * 1000;
}

/** How many personal values of a row are erased; 0 where that can't be read. */
function erasedIn({ erased }: StoredEvent): number {
  try {
    return Object.keys(JSON.parse(erased)).length;
  } catch {
    return 0;
  }
}

/** Why a row without a hash is reported. */
export const NO_HASH = "a row without a hash: put in by hand, or written by an earlier release";

function readNote(note: string, verifiers: readonly Verifier[]) {
  try {
    return readCheckpoint(note, verifiers);
  } catch {
    return undefined;
  }
}

/** The time in which an id was made, to the second; empty for an id of another form. */
export function timeOf(id: string): string {
  return /^[0-9a-f]{24}$/.test(id) ? toTimestamp(Number.parseInt(id.slice(0, 8), 16) * 1000) : "";
}

/** The first characters of ids of a time. */
function secondOf(at: string): string {
  return at === "" ? "" : Math.floor(Date.parse(at) / 1000).toString(16).padStart(8, "0");
}

function detailOf(row: StoredEvent): Record<string, unknown> {
  try {
    // as: whatever else it is has none of the members that are looked for.
    return JSON.parse(row.detail) as Record<string, unknown>;
  } catch {
    return {};
  }
}
