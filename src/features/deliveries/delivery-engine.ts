import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import type { Log } from "../../kernel/log.ts";
import { withSpan } from "../../kernel/tracing.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { type DueRow, TRIED_AT_ONCE } from "./deliveries.store.ts";
import { LEASE_MS, TRY_MS, waitAfter } from "./delivery.ts";
import { fanOutLease, organisationToFanOut } from "./fan-out.store.ts";
import { fanOut } from "./fan-out.transactions.ts";
import { claimDue, type Claimed, type Outcome, settle } from "./sending.transactions.ts";
import { pausedByFailing, type TargetRow, targetsDue } from "./targets.store.ts";
import type { SenderContext, Sent } from "./webhook-sender.ts";

/** The trouble that lasts as long as a target is paused because it failed. */
const PAUSED = "target_paused";

/** How long the engine rests when nothing is to be done. */
const REST_MS = 500;
/** How long a node keeps the right to fan out without using it. */
const FAN_OUT_LEASE_MS = 5000;
/** Targets that are sent to at once. */
const TARGETS_AT_ONCE = 8;

/**
 * With more changes than this in a second the desk is busy: then a turn is short, and so many times as long as it took
 * is rested.
 */
const BUSY_CHANGES = 500;
const BUSY_FACTOR = 25;

/** What the engine needs of the desk. */
type Context = Pick<
  ServiceContext,
  "storage" | "clock" | "sealer" | "settings" | "troubles" | "outbound" | "figures"
>;

/** What sends a message to a target, by its kind. Throws where nothing can be sent. */
const senders: Readonly<
  Record<
    TargetRow["kind"],
    (
      ctx: SenderContext,
      target: TargetRow,
      id: string,
      told: DueRow & { org_id: string },
    ) => Promise<Sent>
  >
> = {
  // Loaded with the first message: a desk without targets needs none of it.
  webhook: async (...message) =>
    await (await import("./webhook-sender.ts")).sendWebhook(...message),
};

/** What a turn did. */
export interface Turn {
  /** True: more may be done at once. */
  more: boolean;
}

/**
 * Fans messages out and sends what is due. Any number of nodes may do so over one store: one at a time fans out, and
 * each delivery is sent by one node at a time. A node that dies leaves its deliveries to the others when its rights end.
 */
export class DeliveryEngine {
  readonly #id: string;
  readonly #sending: SenderContext;
  #commits = 0;

  constructor(private readonly ctx: Context, private readonly log: Pick<Log, "line">) {
    this.#id = newId(ctx.clock.now());
    const { outbound, sealer, settings, clock } = ctx;
    this.#sending = { outbound, sealer, publicUrl: settings.publicUrl, now: () => clock.now() };
  }

  /** How many transactions this engine has committed. */
  get commits(): number {
    return this.#commits;
  }

  /** One batch of each organisation's messages, and one of each target's deliveries. */
  async turn(): Promise<Turn> {
    const fanned = await this.#fanOut();
    const targets = await targetsDue(this.ctx.storage.reader, this.#now());
    let more = fanned;
    for (let from = 0; from < targets.length; from += TARGETS_AT_ONCE) {
      const some = targets.slice(from, from + TARGETS_AT_ONCE);
      const full = await Promise.all(some.map((target) => this.#sendTo(target)));
      more ||= full.includes(true);
    }
    await this.#tellOfPaused();
    return { more };
  }

  #now(): string {
    return toTimestamp(this.ctx.clock.now());
  }

  /** True: more messages may wait. */
  async #fanOut(): Promise<boolean> {
    const { storage, clock } = this.ctx;
    const { reader } = storage;
    let org_id = await organisationToFanOut(reader, "");
    if (org_id === undefined) return false;
    if (await fanOutLease.isOthers(reader, this.#id, clock.now())) return false;
    let more = false;
    for (; org_id !== undefined; org_id = await organisationToFanOut(reader, org_id)) {
      const input = { org_id, holder: this.#id, leaseMs: FAN_OUT_LEASE_MS, now: clock.now() };
      this.#commits++;
      const done = await storage.commit(fanOut, input);
      if (!done.leased) return false;
      more ||= done.more;
    }
    return more;
  }

  /** True: more of this target may be due. */
  async #sendTo({ org_id, id: target_id }: { org_id: string; id: string }): Promise<boolean> {
    const { storage, clock } = this.ctx;
    const place = { org_id, target_id, holder: this.#id };
    this.#commits++;
    const claimed = await storage.commit(claimDue, {
      ...place,
      ...{ leaseMs: LEASE_MS, now: clock.now() },
    });
    if (!claimed || claimed.due.length === 0) return false;
    const tried = await Promise.all(claimed.due.map((due) => this.#try(claimed, due)));
    const outcomes = tried.filter((outcome) => outcome !== undefined);
    this.#commits++;
    const { until } = claimed;
    const { paused, dead } = await storage.commit(settle, {
      ...{ ...place, until, outcomes, now: clock.now() },
    });
    if (dead > 0) this.log.line("warn", "messages were given up", { org_id, target_id, n: dead });
    if (paused !== "") {
      this.log.line("error", "a target was paused", { org_id, target_id, reason: paused });
    }
    return claimed.due.length === TRIED_AT_ONCE;
  }

  async #try({ target, until }: Claimed, due: DueRow): Promise<Outcome | undefined> {
    const { clock } = this.ctx;
    const began = clock.now();
    // Whoever was stopped for long has lost the right, and another node may be sending it.
    if (began + TRY_MS >= Date.parse(until)) return undefined;
    const facts = { "keydesk.topic": due.topic, "keydesk.target": target.kind };
    const sent = await withSpan(
      "delivery",
      { kind: "client", facts },
      () => senders[target.kind](this.#sending, target, due.id, { ...due, org_id: target.org_id }),
    )
      .catch((error: unknown): Sent => ({
        ...{ ok: false, gone: false, status: 0, durationMs: clock.now() - began, answer: "" },
        ...{ error: reasonOf(error), retryAfterMs: 0 },
      }));
    this.ctx.figures?.deliveries[sent.ok ? "delivered" : "failed"].add(sent.durationMs);
    const { retryAfterMs, ...rest } = sent;
    return {
      ...rest,
      id: due.id,
      at: toTimestamp(began),
      waitMs: waitAfter(due.tries, Math.random(), retryAfterMs),
    };
  }

  async #tellOfPaused(): Promise<void> {
    const { storage, troubles } = this.ctx;
    const paused = await pausedByFailing(storage.reader);
    if (!paused) return troubles.end(PAUSED);
    const reason = `target ${paused.id} of organisation ${paused.org_id} failed for long and is ` +
      "paused: what waits for it is sent once it is resumed";
    troubles.begin(PAUSED, { reason, stops: "nothing" });
  }
}

/** Why nothing was answered, without what an address may hold besides. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\p{Cc}/gu, " ").slice(0, 500);
}

/** Delivers until it is stopped. Never rejects. */
export function startDeliveries(ctx: Context, log: Pick<Log, "line">): { stop(): void } {
  const engine = new DeliveryEngine(ctx, log);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let last = { at: performance.now(), changes: 0 };
  const isBusy = () => {
    const now = performance.now();
    const changes = ctx.storage.stats().commits - engine.commits;
    const rate = (changes - last.changes) / Math.max(now - last.at, 1) * 1000;
    last = { at: now, changes };
    return rate > BUSY_CHANGES;
  };
  const turn = async () => {
    const started = performance.now();
    let rest = REST_MS;
    try {
      if ((await engine.turn()).more) rest = 0;
    } catch (error) {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) {
        log.line("error", "deliveries were held up", { reason: reasonOf(error) });
      }
    }
    if (isBusy()) rest = Math.max(REST_MS, BUSY_FACTOR * (performance.now() - started));
    if (!stopped) timer = setTimeout(turn, rest);
  };
  timer = setTimeout(turn, REST_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
