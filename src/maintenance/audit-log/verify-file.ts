import { parseVerifier } from "../../../packages/audit-log/checkpoint.ts";
import { type ExportedLine, exportedLine, rowOfLine } from "./exported-log.ts";
import { verifyProof } from "./verify-proof.ts";
import { LogCheck } from "./log-check.ts";
import type { Finding, FoundEvent, Leaf } from "./log-found.ts";
import { MOST_REPORTED, type Verified, type VerifyOptions } from "./verify-store.ts";

/** Thrown for a text that is no export that can be proved; the message names the line. */
export class NotProvable extends Error {}

/** A line of a file, counted from 1. */
export interface NumberedLine {
  line: number;
  text: string;
}

/**
 * Verifies an export of audit logs, or proofs of single rows, one organisation after the other, as
 * `keydesk export audit --proof` or `keydesk purge --export` wrote it. Memory stays that of one
 * line of entries and its rows. Throws NotProvable.
 */
export async function* verifyLines(
  lines: AsyncIterable<NumberedLine>,
  optionsFor: (org_id: string) => VerifyOptions,
): AsyncGenerator<{ verified: Verified; findings: Finding[] }, void, void> {
  let open: FileLog | undefined;
  for await (const { line, text } of lines) {
    const read = lineOf(text, line);
    if ("audit_path" in read) {
      yield await verifyProof(read, optionsFor(read.org_id));
      continue;
    }
    if ("log" in read) {
      if (open) yield open.broken();
      open = new FileLog(read.org_id, read.log, optionsFor(read.org_id));
      continue;
    }
    if (!open || open.org_id !== read.org_id) {
      throw new NotProvable(`line ${line}: no log of ${read.org_id} has begun`);
    }
    if ("leaves" in read) open.leaves(read.leaves);
    else if ("end" in read) {
      yield open.end(read.end);
      open = undefined;
    } else open.row(rowOfLine(read));
  }
  if (open) yield open.broken();
}

function lineOf(text: string, line: number): ExportedLine {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new NotProvable(`line ${line} is no JSON`);
  }
  const { success, data } = exportedLine.safeParse(json);
  if (!success) {
    throw new NotProvable(
      `line ${line} is not of a provable export: make one with \`keydesk export audit --proof\``,
    );
  }
  return data;
}

type Head = Extract<ExportedLine, { log: unknown }>["log"];
type Entries = Extract<ExportedLine, { leaves: unknown }>["leaves"];

/** The log of one organisation in a file. */
class FileLog {
  readonly org_id: string;
  readonly #check: LogCheck;
  readonly #head: Head;
  readonly #findings: Finding[] = [];
  /** Entries of the newest line of them, and the rows that came behind it. */
  #leaves: Leaf[] = [];
  #rows = new Map<number, FoundEvent>();
  #waiting = 0;

  constructor(org_id: string, head: Head, options: VerifyOptions) {
    this.org_id = org_id;
    this.#head = head;
    this.#check = new LogCheck({
      org_id,
      from: head.from,
      frontier: head.frontier,
      verifiers: options.verifiers ?? head.keys.map(parseVerifier),
      since: options.since,
      olderUntil: options.olderUntil ?? head.older_until,
    }, (finding) => {
      if (this.#findings.length < MOST_REPORTED) this.#findings.push(finding);
    });
    for (const note of head.checkpoints) this.#check.checkpoint(note);
  }

  leaves({ from, entries }: Entries): void {
    this.#settle();
    this.#leaves = entries.map(([event_id, kind, leaf_hash], i) => ({
      leaf_index: from + i,
      event_id,
      kind,
      leaf_hash,
    }));
  }

  row(row: FoundEvent): void {
    const { leaf_index } = row;
    if (leaf_index === null) {
      this.#waiting++;
      this.#check.read(row);
      return;
    }
    const leaf = this.#leaves.find((one) => one.leaf_index === leaf_index);
    if (!leaf || leaf.event_id !== row.id || this.#rows.has(leaf_index)) {
      this.#check.inserted(
        row,
        "the row names a position in the log that is another row's, or no row's",
      );
    } else {
      this.#rows.set(leaf_index, row);
    }
  }

  end(end: { size: number; checkpoints: string[] }): { verified: Verified; findings: Finding[] } {
    this.#settle();
    for (const note of end.checkpoints) this.#check.checkpoint(note);
    this.#check.end(end.size, { isStore: false, isWhole: this.#head.whole });
    return this.#done(end.size);
  }

  /** The file ends, or another log begins, before this one has ended. */
  broken(): { verified: Verified; findings: Finding[] } {
    this.#settle();
    const { org_id } = this;
    const leaf_index = this.#check.next;
    const why = "the file breaks off here: the line that ends this log is missing";
    this.#findings.push({ org_id, wrong: "removed", leaf_index, entries: 0, id: "", at: "", why });
    return this.#done(leaf_index);
  }

  #done(size: number): { verified: Verified; findings: Finding[] } {
    const { org_id } = this;
    const known = { org_id, size, cut: this.#head.from, waiting: this.#waiting, waitingLong: 0 };
    const verified = { ...this.#check.found, ...known, compared: null };
    return { verified, findings: this.#findings };
  }

  #settle(): void {
    for (const leaf of this.#leaves) {
      if (leaf.leaf_index < this.#check.next) {
        const { event_id: id, leaf_index } = leaf;
        this.#check.inserted({ id, at: "", leaf_index }, "an entry of the log is listed twice");
      } else {
        this.#check.leaf(leaf, this.#rows.get(leaf.leaf_index));
      }
    }
    this.#leaves = [];
    this.#rows = new Map();
  }
}
