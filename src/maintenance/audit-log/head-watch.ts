import { join } from "node:path";
import type { ServiceContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import { recordAcceptance } from "./accept.transactions.ts";
import { appendAll } from "./appender.ts";
import { firstHead, type Followed, followLog, headAt } from "./follow-log.ts";
import { allLogs } from "./followed-log.store.ts";
import {
  HEADS_FILE,
  type HeadsFile,
  HeadsUnreadable,
  type KeptHead,
  readHeads,
  rootOf,
  writeHeads,
} from "./kept-heads.ts";
import { originOf } from "./leaf.ts";
import { readCheckpoint, type TreeHead } from "../../../packages/audit-log/checkpoint.ts";
import { addInFolder, readFileIfThere } from "../../kernel/durable-file.ts";

/**
 * How often new checkpoints are looked for and kept, and how often the server's log reports them.
 */
const LOOK_MS = 5000;
const REPORT_MS = 60_000;
/** How often the file outside is given what is new. */
const NOTE_MS = 60 * 60 * 1000;

const NONE = { heads: [], writtenAt: "" };

/** The problem that lasts while a log is not what it was. */
const REWOUND = "audit_log_rewound";
/** The problem that lasts while the heads can't be read or kept, here or in the file outside. */
const UNKEPT = "audit_checkpoints_unkept";

type Context = Pick<
  ServiceContext,
  "storage" | "sealer" | "clock" | "storeClock" | "problems" | "revokedLately"
>;

/** A log that does not hold what it held, what is known of it, and where that stands. */
export interface RewoundLog {
  readonly known: KnownHead;
  readonly why: string;
}

/** How far a log is known to have come. */
interface KnownHead {
  readonly org_id: string;
  readonly size: number;
  /** Hex. */
  readonly root: string;
}

/** The options of a watch. */
interface HeadWatchOptions {
  /** A file outside, to which heads are added, and with which a node that has none begins. */
  readonly headsFile?: string | undefined;
}

/**
 * Compares the audit logs with what is known of them outside of the store: the heads in a file of
 * the data directory. Restoring the store to an older state, or writing another history with hashes
 * that fit, is found by that file. The revocations since then are kept beside it.
 */
export class HeadWatch {
  readonly #ctx: Context;
  readonly #folder: string;
  readonly #log: Log;
  readonly #headsFile: string | undefined;
  /** By organisation. */
  readonly #heads = new Map<string, KeptHead>();
  /** Logs that are not what the file outside says, by organisation, until that is accepted. */
  readonly #missing = new Map<string, RewoundLog & { since: string }>();
  /** By organisation, the size that the server's log reported last. */
  readonly #reported = new Map<string, number>();
  #isFirst = true;
  #reportedAt = -Infinity;
  /** By organisation, the checkpoint that the file outside was given last. */
  readonly #noted = new Map<string, string>();
  #notedAt = -Infinity;
  /** The content of the file, as this process wrote it last. */
  #kept = "";

  constructor(ctx: Context, folder: string, log: Log, { headsFile }: HeadWatchOptions = {}) {
    this.#ctx = ctx;
    this.#folder = folder;
    this.#log = log;
    this.#headsFile = headsFile;
  }

  /**
   * Looks at every log once, as far as it has grown, and gives those that are not what they were.
   * Throws HeadsUnreadable, and what store and disk throw.
   */
  async look(): Promise<RewoundLog[]> {
    const { storage: { reader }, clock, revokedLately } = this.#ctx;
    const file = await this.#readFile();
    const logs = new Map((await allLogs(reader)).map((log) => [log.org_id, log]));
    if (this.#isFirst) await this.#beginWithOutside([...logs.values()]);
    this.#isFirst = false;
    // Another process of this machine may have accepted some.
    for (const [org_id, { since }] of this.#missing) {
      if ((this.#heads.get(org_id)?.accepted_at ?? "") > since) this.#missing.delete(org_id);
    }
    const rewound: RewoundLog[] = [...this.#missing.values()];
    for (const org_id of new Set([...this.#heads.keys(), ...logs.keys()])) {
      if (this.#missing.has(org_id)) continue;
      const kept = this.#heads.get(org_id);
      const log = logs.get(org_id);
      if (kept && log?.size === kept.size && log.frontier === kept.frontier) continue;
      const followed = await this.#follow(org_id, kept, toTimestamp(clock.now()));
      if (!followed) continue;
      if (followed.result === "rewound" && kept) {
        const { size } = kept;
        rewound.push({ known: { org_id, size, root: rootOf(kept) }, why: followed.why });
        continue;
      }
      if (followed.result === "rewound") continue;
      if (followed.result === "cut") this.#log.line("warn", followed.why);
      await revokedLately.add(followed.revocations);
      this.#heads.set(org_id, followed.head);
    }
    if (file?.accept === undefined) return rewound;
    for (const { known } of rewound) await this.accept(known, file.accept.reason);
    await this.keep();
    return [];
  }

  /**
   * Takes a log as it is now, whatever is known of it, and what was revoked as the store has it. It
   * is in the audit log, with both states and the reason.
   */
  async accept({ org_id, size, root }: KnownHead, reason: string): Promise<void> {
    const { storage, clock, revokedLately } = this.#ctx;
    const now = clock.now();
    const at = toTimestamp(now);
    const found = (await firstHead(this.#ctx, org_id, at))?.head;
    await storage.commit(recordAcceptance, {
      org_id,
      known: { size, root },
      found: found ? { size: found.size, root: rootOf(found) } : null,
      reason,
      now,
    });
    await appendAll(this.#ctx);
    const taken = await firstHead(this.#ctx, org_id, at);
    await revokedLately.forget(org_id);
    // The state of this log, and the revocations in it that were repeated, are known the next time,
    // too.
    await revokedLately.add(taken?.revocations ?? []);
    this.#missing.delete(org_id);
    this.#notedAt = -Infinity;
    if (taken) this.#heads.set(org_id, { ...taken.head, accepted_at: at });
    else this.#heads.delete(org_id);
  }

  /** Puts what is new into the file. */
  async keep(): Promise<void> {
    const heads = [...this.#heads.values()];
    const text = JSON.stringify(heads);
    if (text === this.#kept) return;
    await writeHeads(this.#folder, { heads });
    this.#kept = text;
  }

  /**
   * Reports checkpoints that are new in the server's log; `isDue`: even if one was reported lately.
   */
  report(isDue = performance.now() - this.#reportedAt >= REPORT_MS): void {
    if (!isDue) return;
    this.#reportedAt = performance.now();
    for (const head of this.#heads.values()) {
      const { org_id, size, checkpoint } = head;
      if (this.#reported.get(org_id) === size) continue;
      this.#reported.set(org_id, size);
      const root = rootOf(head);
      this.#log.line("info", "audit log checkpoint", { org_id, size, root, checkpoint });
    }
  }

  /** Adds the heads that are new to the file outside. `isDue`: though it was given some lately. */
  async note(isDue = performance.now() - this.#notedAt >= NOTE_MS): Promise<void> {
    if (!isDue || this.#headsFile === undefined) return;
    const fresh = [...this.#heads.values()].filter(({ org_id, checkpoint }) =>
      checkpoint !== "" && this.#noted.get(org_id) !== checkpoint
    );
    if (fresh.length > 0) {
      await noteHeads(this.#headsFile, fresh.map(({ checkpoint }) => checkpoint));
    }
    for (const { org_id, checkpoint } of fresh) this.#noted.set(org_id, checkpoint);
    this.#notedAt = performance.now();
  }

  /**
   * Compares with the file outside: who writes to the data directory may have put fitting heads
   * there. Logs of which none is kept here begin with that file's.
   */
  async #beginWithOutside(logs: readonly { size: number }[]): Promise<void> {
    const { storage: { reader }, clock, revokedLately } = this.#ctx;
    const { heads, writtenAt } = this.#headsFile ? await readNotedHeads(this.#headsFile) : NONE;
    for (const { origin, size, root } of heads) {
      const org_id = origin.slice(originOf("").length);
      const own = this.#heads.get(org_id);
      const isKnown = own?.size === size && rootOf(own) === root;
      if (isKnown || (own?.accepted_at ?? "") > writtenAt) continue;
      const at = toTimestamp(clock.now());
      const then = await headAt(reader, { org_id, size, at });
      if (then === "cut") continue;
      if (then && rootOf(then.head) === root) {
        if (own) continue;
        await revokedLately.add(then.revocations);
        this.#heads.set(org_id, then.head);
        continue;
      }
      const why = `the log of ${org_id} had ${size} entries by ${this.#headsFile}, and now ` +
        (then ? "it has others" : "it has fewer, or lacks some");
      this.#missing.set(org_id, { known: { org_id, size, root }, why, since: at });
    }
    if (this.#heads.size > 0 || this.#missing.size > 0 || logs.every(({ size }) => size === 0)) {
      return;
    }
    this.#log.line("info", "the audit logs are compared with nothing: no checkpoints are kept yet");
  }

  async #follow(
    org_id: string,
    kept: KeptHead | undefined,
    at: string,
  ): Promise<Followed | undefined> {
    if (kept) return await followLog(this.#ctx, kept, at);
    const first = await firstHead(this.#ctx, org_id, at);
    return first && { result: "goes on", ...first };
  }

  /**
   * Reads the file, which has the checkpoints of other processes of this machine, and the accepted
   * ones. Of two checkpoints the longer one counts, unless one was accepted later.
   */
  async #readFile(): Promise<HeadsFile | undefined> {
    const file = await readHeads(this.#folder);
    let isAccepted = false;
    for (const head of file?.heads ?? []) {
      const known = this.#heads.get(head.org_id);
      const since = head.accepted_at > (known?.accepted_at ?? "");
      if (since && known) isAccepted = true;
      if (!known || since || (head.accepted_at === known.accepted_at && head.size > known.size)) {
        this.#heads.set(head.org_id, head);
      }
    }
    if (isAccepted) await this.#ctx.revokedLately.load();
    return file;
  }
}

/**
 * Looks at once, every five seconds, and once more at the end; keeps what is new each time. A
 * rewound log is a problem until it is accepted (`keydesk audit accept`). Never rejects. `lookMs`:
 * another rest, for tests.
 */
export function startHeadWatch(
  ctx: Context,
  folder: string,
  log: Log,
  { lookMs = LOOK_MS, headsFile }: HeadWatchOptions & { lookMs?: number } = {},
): { stop(): Promise<void> } {
  const watch = new HeadWatch(ctx, folder, log, { headsFile });
  const { problems, revokedLately, clock } = ctx;
  const look = async (isLast = false) => {
    try {
      const [first] = await watch.look();
      if (first) {
        problems.begin(REWOUND, { reason: `${first.why}; ${ADVICE}`, stops: "nothing" });
      } else problems.end(REWOUND);
      await watch.keep();
      if (first === undefined) await watch.note(isLast || undefined);
      problems.end(UNKEPT);
    } catch (error) {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      if (error instanceof Failure) return;
      const reason = error instanceof HeadsUnreadable
        ? error.message
        : `${unkeptFiles(folder, headsFile)} can't be read or written: ${String(error)}`;
      problems.begin(UNKEPT, { reason, stops: "nothing" });
    }
  };
  let isFirst = true;
  const turns = repeatedly(async () => {
    await look();
    watch.report();
    if (isFirst) await revokedLately.tidy(clock.now()).catch(() => {});
    isFirst = false;
    return lookMs;
  }, 0);
  return {
    stop: async () => {
      await turns.stop();
      await look(true);
      watch.report(true);
    },
  };
}

function unkeptFiles(folder: string, headsFile: string | undefined): string {
  const own = join(folder, HEADS_FILE);
  return headsFile === undefined ? own : `${own} or ${headsFile}`;
}

/** The advice about a log that has lost entries or was changed. */
const ADVICE =
  "the store was put back to an older state, or its audit log was written anew: `keydesk audit verify` shows more, `keydesk audit accept` takes it as it is";

/**
 * Adds checkpoints at the end of a file, as `keydesk audit checkpoint` prints them. Its folder has
 * to be there.
 */
async function noteHeads(path: string, checkpoints: readonly string[]): Promise<void> {
  await addInFolder(path, checkpoints.map((note) => `${note}\n`).join(""));
}

/**
 * The last head of each log among the checkpoints of a file, and when it was written to; also of
 * one that holds lines `audit log checkpoint` of a server's log. None where the file is not there,
 * or holds no checkpoint.
 */
export async function readNotedHeads(
  path: string,
): Promise<{ heads: TreeHead[]; writtenAt: string }> {
  const written = await readFileIfThere(path);
  if (written === undefined) return { heads: [], writtenAt: "" };
  const { mtime } = await Deno.stat(path);
  const text = written.replaceAll("\\n", "\n");
  const heads = new Map<string, TreeHead>();
  for (const [note] of text.matchAll(NOTE)) {
    const { head } = readCheckpoint(`${note}\n`, []);
    heads.set(head.origin, head);
  }
  return { heads: [...heads.values()], writtenAt: mtime === null ? "" : toTimestamp(+mtime) };
}

/** The signed part of a checkpoint: origin, size and root. */
const NOTE = /keydesk\/[^\s"]+\n[1-9]\d{0,14}\n[A-Za-z0-9+/]{43}=\n/g;
