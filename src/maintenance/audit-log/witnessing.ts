import type { ServiceContext } from "../../calls/context.ts";
import { readCheckpoint } from "../../../packages/audit-log/checkpoint.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import { storeItself } from "../../storage/storage-within.ts";
import { findCosigned } from "./cosigned.store.ts";
import { keepCosignedCheckpoint } from "./cosigned.transactions.ts";
import { allLogs } from "./followed-log.store.ts";
import { leavesOf } from "./log-leaves.ts";
import { consistencyProof } from "../../../packages/audit-log/log-tree.ts";
import { type AuditLogLog, findLog } from "./logs.store.ts";
import { askWitness, type Witness, type Witnessed } from "./witness.ts";

/** How often heads are sent. Several nodes may: a log that was signed meanwhile is not sent. */
const EVERY_MS = 30_000;
/** How long a witness has for its answer; at a stop, where a person waits for the process, less. */
const ANSWER_MS = 5000;
const LAST_ANSWER_MS = 700;
/** So often a witness may say that it knows another size than it said before. */
const TRIES = 3;

/** The problem that lasts while a witness knows more of a log than there is, or something else. */
const DISPUTED = "audit_log_disputed";
/** The problem that lasts while a witness signs nothing. */
const UNWITNESSED = "audit_log_unwitnessed";

type Context = Pick<ServiceContext, "storage" | "clock" | "problems" | "outbound">;

/** The result of sending one checkpoint to one witness. */
type Outcome =
  | Exclude<Witnessed, { result: "knows" }>
  /** It has signed more entries than there are. */
  | { result: "ahead"; size: number }
  /** It has signed this one for us. */
  | { result: "signed before" };

/**
 * Sends the heads of all logs to witnesses, each with the proof that it goes on from what the
 * witness knows. Another history, whatever key signs it, is found by all of them.
 */
export class Witnessing {
  readonly #ctx: Context;
  readonly #witnesses: readonly Witness[];
  /** How many entries each witness knows of each log, as it said last. */
  readonly #known = new Map<string, number>();
  /** Which checkpoint of each log each witness signed last. */
  readonly #signed = new Map<string, string>();

  constructor(ctx: Context, witnesses: readonly Witness[]) {
    this.#ctx = ctx;
    this.#witnesses = witnesses;
  }

  /**
   * Sends each head that is new, to all witnesses at once. Their findings are a problem until they
   * sign again. Never rejects.
   */
  async turn(timeoutMs = ANSWER_MS): Promise<void> {
    const disputed: string[] = [];
    const silent: string[] = [];
    try {
      for (const { org_id } of await allLogs(this.#ctx.storage.reader)) {
        await this.#send(org_id, timeoutMs, { disputed, silent });
      }
    } catch {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      return;
    }
    this.#report(DISPUTED, disputed);
    this.#report(UNWITNESSED, silent);
  }

  #report(problem: string, reasons: readonly string[]): void {
    const { problems } = this.#ctx;
    const [reason] = reasons;
    if (reason === undefined) problems.end(problem);
    else problems.begin(problem, { reason, stops: "nothing" });
  }

  async #send(
    org_id: string,
    timeoutMs: number,
    { disputed, silent }: { disputed: string[]; silent: string[] },
  ): Promise<void> {
    const { storage, clock } = this.#ctx;
    const log = await findLog(storage.reader, org_id);
    if (!log || log.checkpoint === "") return;
    const { size } = readCheckpoint(log.checkpoint, []).head;
    const outcomes = await Promise.all(this.#witnesses.map(async (witness) => ({
      witness,
      outcome: await this.#ask(witness, log, size, timeoutMs),
    })));
    const signed = new Map<string, string[]>();
    for (const { witness: { key: { name } }, outcome } of outcomes) {
      switch (outcome.result) {
        case "cosigned":
          signed.set(name, outcome.lines);
          break;
        case "ahead":
          disputed.push(`${name} signed ${outcome.size} entries of ${org_id}, which has ${size}`);
          break;
        case "differs":
          disputed.push(
            `${name} signed entries of ${org_id} that are not the first of its ${size}`,
          );
          break;
        case "none":
          silent.push(`${name} signs nothing of ${org_id}: ${outcome.why}`);
          break;
        case "signed before":
      }
    }
    if (signed.size === 0) return;
    const before = (await findCosigned(storage.reader, { org_id }))?.note ?? "";
    const note = withSignatures(log.checkpoint, before, signed);
    const at = toTimestamp(clock.now());
    await storage.commit(keepCosignedCheckpoint, { org_id, size, at, note });
  }

  async #ask(
    witness: Witness,
    log: AuditLogLog,
    size: number,
    timeoutMs: number,
  ): Promise<Outcome> {
    const { storage, outbound } = this.#ctx;
    const place = `${witness.key.name} ${log.org_id}`;
    const leaves = leavesOf(storage.reader, storeItself(storage), log);
    if (this.#known.get(place) === size && this.#signed.get(place) === log.checkpoint) {
      return { result: "signed before" };
    }
    for (let tries = 0; tries < TRIES; tries++) {
      const old = this.#known.get(place) ?? 0;
      if (old > size) return await this.#isAhead(log, old);
      if (old > 0 && old < log.cut_size) return { result: "none", why: cutBefore(old, log) };
      const proof = await consistencyProof(leaves, old, size);
      const asked = await askWitness(outbound, witness, {
        note: log.checkpoint,
        old,
        proof,
        timeoutMs,
      });
      if (asked.result === "cosigned") {
        this.#known.set(place, size);
        this.#signed.set(place, log.checkpoint);
      }
      // Cached blocks of another store at that path lead to no root of this one.
      if (asked.result === "differs" && tries === 0 && leaves.blocks.size > 0) {
        leaves.blocks.clear();
        continue;
      }
      if (asked.result !== "knows") return asked;
      this.#known.set(place, asked.size);
    }
    return { result: "none", why: "other servers send checkpoints of this log, too" };
  }

  /** Whether a witness is ahead of the log itself, or of what was read of it before. */
  async #isAhead({ org_id }: AuditLogLog, size: number): Promise<Outcome> {
    const now = await findLog(this.#ctx.storage.reader, org_id);
    if (!now || now.size < size) return { result: "ahead", size };
    return { result: "none", why: "another node sends newer checkpoints" };
  }
}

/**
 * A checkpoint with the fresh lines of witnesses, and with those that others signed before, where
 * they signed this very one.
 */
function withSignatures(
  checkpoint: string,
  before: string,
  signed: ReadonlyMap<string, readonly string[]>,
): string {
  const earlier = before.startsWith(checkpoint)
    ? before.slice(checkpoint.length).split("\n").filter((line) =>
      line !== "" && !signed.has(line.split(" ")[1] ?? "")
    )
    : [];
  return [...earlier, ...[...signed.values()].flat()]
    .reduce((note, line) => `${note}${line}\n`, checkpoint);
}

function cutBefore(old: number, { cut_size }: AuditLogLog): string {
  return `it knows ${old} entries, and retention has removed the first ${cut_size}, so nothing proves the entries between`;
}

/** Sends heads every half minute until it is stopped, and once more at the end. Never rejects. */
export function startWitnessing(
  ctx: Context,
  witnesses: readonly Witness[],
): { stop(): Promise<void> } {
  if (witnesses.length === 0) return { stop: () => Promise.resolve() };
  const witnessing = new Witnessing(ctx, witnesses);
  const turns = repeatedly(async () => {
    await witnessing.turn();
    return EVERY_MS;
  }, 0);
  return {
    stop: async () => {
      await turns.stop();
      await witnessing.turn(LAST_ANSWER_MS);
    },
  };
}
