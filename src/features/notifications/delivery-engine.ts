import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Transaction } from "../../storage/storage.ts";
import { newId } from "../../kernel/ids.ts";
import type { Log } from "../../kernel/log.ts";
import { inTime } from "../../kernel/in-time.ts";
import { withSpan } from "../../kernel/tracing.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { LEASE_MS, TRY_MS, waitAfter } from "./delivery.ts";
import { fanOutLease, organisationToFanOut } from "./fan-out.store.ts";
import { fanOut } from "./fan-out.transactions.ts";
import { channelWaitingBeyond } from "./delivery-leases.store.ts";
import {
  claimDue,
  type Claimed,
  leaveDeliveries,
  type Outcome,
  settle,
  shortenWaiting,
} from "./sending.transactions.ts";
import { type ChannelRow, channelsDue, channelsWaking, pausedByFailing } from "./channels.store.ts";
import { wakeSome } from "./wake.transactions.ts";
import { noteMailServer } from "./mail-problems.ts";
import type { DueMail } from "./mail-due.transactions.ts";
import { type SenderContext, senderContext, type Sent } from "./sender.ts";

/** The problem that lasts as long as a channel is paused because it failed. */
const PAUSED = "channel_paused";

/**
 * How long a node that stops waits for answers, before it leaves to the others what no one
 * answered.
 */
const ANSWER_GRACE_MS = 1500;
/**
 * Channels that one node sends to at once, each at its own pace: one that hangs takes a place, and
 * holds up no one.
 */
const CHANNELS_AT_ONCE = 32;

/** Mails that are handed over at once. */
const MAILS_AT_ONCE = 4;

/** The server's part that the engine needs. */
export type DeliveryContext = Pick<
  ServiceContext,
  | "storage"
  | "clock"
  | "storeClock"
  | "sealer"
  | "settings"
  | "problems"
  | "outbound"
  | "mail"
  | "metrics"
>;

/** The sender of each kind of channel. It throws if it can't send anything. */
export const senders: Readonly<
  Record<
    ChannelRow["kind"],
    (
      ctx: SenderContext,
      channel: ChannelRow,
      id: string,
      message: DueMail & { org_id: string },
    ) => Promise<Sent>
  >
> = {
  // Loaded with the first message: a server without channels needs none of it.
  webhook: async (...message) =>
    await (await import("./webhook-sender.ts")).sendWebhook(...message),
  mail: async (...message) => await (await import("./mail-sender.ts")).sendMail(...message),
};

/**
 * Fans messages out and sends what is due. Any number of nodes may do so over one store: one at a
 * time fans out, and each delivery is sent by one node at a time. A node that dies leaves its
 * deliveries to the others when its rights end.
 */
export class DeliveryEngine {
  readonly #id: string;
  readonly #sending: SenderContext;
  /** The sendings under way, by channel; each is settled by itself. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** The channels that this node has claimed, and until when. */
  readonly #taken = new Map<string, { org_id: string; target_id: string; until: string }>();
  #fansOut = false;
  #isLeaving = false;
  /** When each channel had a place last, counted in places. */
  readonly #begun = new Map<string, number>();
  #begins = 0;
  /** Called each time that more may be sent at once. */
  onMore = () => {};
  #commits = 0;
  #committingMs = 0;

  constructor(private readonly ctx: DeliveryContext, private readonly log: Pick<Log, "line">) {
    this.#id = newId(ctx.clock.now());
    this.#sending = senderContext(ctx);
  }

  /** How many transactions this engine has committed. */
  get commits(): number {
    return this.#commits;
  }

  /** How long its transactions took so far, in milliseconds. */
  get committingMs(): number {
    return this.#committingMs;
  }

  /**
   * One batch of each organisation's messages, and one of each channel's deliveries; over when all
   * were answered.
   */
  async turn(): Promise<void> {
    await this.begin();
    await this.settled();
  }

  /** Begins a turn without waiting for answers. True: more messages may wait to be fanned out. */
  async begin(): Promise<boolean> {
    const more = await this.#fanOut();
    const now = await this.ctx.storeClock.now();
    await this.#shorten(now);
    const wakes = await this.#wake(now);
    const due = await channelsDue(this.ctx.storage.reader, { now: toTimestamp(now) });
    const begunAt = ({ id }: { id: string }) => this.#begun.get(id) ?? 0;
    // The channels that were served last wait, so that hanging ones can't keep all slots.
    for (const channel of due.toSorted((a, b) => begunAt(a) - begunAt(b))) {
      if (this.#underWay.size >= CHANNELS_AT_ONCE || this.#isLeaving) break;
      if (this.#underWay.has(channel.id)) continue;
      this.#begun.set(channel.id, ++this.#begins);
      this.#underWay.set(channel.id, this.#deliver(channel));
    }
    await this.#notifyOfPaused();
    return more || wakes;
  }

  /** When everything that is sent now has been settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /**
   * Never rejects: a store that can't be reached now is asked again in a later turn, when the
   * rights to try ended.
   */
  async #deliver(channel: { org_id: string; id: string }): Promise<void> {
    let more = false;
    try {
      more = await this.#sendTo(channel);
    } catch (error) {
      reportDelay(this.log, error);
    }
    const wasFull = this.#underWay.size === CHANNELS_AT_ONCE;
    this.#underWay.delete(channel.id);
    if (more || wasFull) this.onMore();
  }

  async #commit<In, Out>(transaction: Transaction<In, Out>, input: In): Promise<Out> {
    this.#commits++;
    const started = performance.now();
    try {
      return await this.ctx.storage.commit(transaction, input);
    } finally {
      this.#committingMs += performance.now() - started;
    }
  }

  /** Begins nothing any more. */
  leaves(): void {
    this.#isLeaving = true;
  }

  /**
   * Waits a moment for answers, and leaves what has none to the other nodes at once, where no turn
   * begins meanwhile. Throws `unavailable`: then the rights end by themselves.
   */
  async giveBack(): Promise<void> {
    await inTime(this.settled(), ANSWER_GRACE_MS, () => {});
    const taken = [...this.#taken.values()];
    if (taken.length === 0 && !this.#fansOut) return;
    const now = await this.ctx.storeClock.now();
    await this.#commit(leaveDeliveries, { holder: this.#id, taken, now });
  }

  /** Makes due what waits for channels that take messages again. True: more may wait. */
  async #wake(now: number): Promise<boolean> {
    let more = false;
    for (const { org_id, id: target_id } of await channelsWaking(this.ctx.storage.reader)) {
      if (this.#isLeaving) break;
      more = (await this.#commit(wakeSome, { org_id, target_id, now })).more || more;
    }
    return more;
  }

  /**
   * A right of another node that no clock of ours would give for so long ends as one that begins
   * now.
   */
  async #shorten(now: number): Promise<void> {
    const until = toTimestamp(now + LEASE_MS);
    const { reader } = this.ctx.storage;
    for (let waiting; (waiting = await channelWaitingBeyond(reader, { until }));) {
      if (await this.#commit(shortenWaiting, { ...waiting, now }) === 0) return;
    }
  }

  /** True: more messages may wait. */
  async #fanOut(): Promise<boolean> {
    const { storage: { reader }, storeClock } = this.ctx;
    let org_id = await organisationToFanOut(reader, { behind: "" });
    if (org_id === undefined) return false;
    if (await fanOutLease.isOthers(reader, this.#id, await storeClock.now())) return false;
    let more = false;
    for (; org_id !== undefined; org_id = await organisationToFanOut(reader, { behind: org_id })) {
      if (this.#isLeaving) return false;
      const input = { org_id, holder: this.#id, now: await storeClock.now() };
      const done = await this.#commit(fanOut, input);
      this.#fansOut = done.leased;
      if (!done.leased) return false;
      more ||= done.more;
    }
    return more;
  }

  /** True: more of this channel may be due. */
  async #sendTo({ org_id, id: target_id }: { org_id: string; id: string }): Promise<boolean> {
    const { storeClock } = this.ctx;
    const place = { org_id, target_id, holder: this.#id };
    const claimedAt = await storeClock.now();
    const passed = this.#stopwatch();
    const claimed = await this.#commit(claimDue, { ...place, now: claimedAt });
    if (!claimed) return false;
    if (claimed.due.length === 0) return claimed.more;
    const { until } = claimed;
    this.#taken.set(target_id, { org_id, target_id, until });
    const outcomes = await this.#tryAll({ ...claimed, claimedAt, passed });
    const { paused, dead, wakes } = await this.#commit(settle, {
      ...place,
      until,
      outcomes,
      claimedAt,
      now: await storeClock.now(),
    });
    this.#taken.delete(target_id);
    if (dead > 0) this.log.line("warn", "messages were given up", { org_id, target_id, n: dead });
    if (paused !== "") {
      this.log.line("error", "a channel was paused", { org_id, target_id, reason: paused });
    }
    return claimed.more || wakes;
  }

  /**
   * Milliseconds from now on, by the clock that shows more of them: one may be put back, the other
   * stand still.
   */
  #stopwatch(): () => number {
    const { clock } = this.ctx;
    const [readAt, measured] = [clock.now(), performance.now()];
    return () => Math.max(clock.now() - readAt, performance.now() - measured);
  }

  /**
   * Tries what was claimed: webhooks all at once, mails a few, and none any more once the server
   * answers to none.
   */
  async #tryAll(claimed: Timed): Promise<Outcome[]> {
    const { due, channel } = claimed;
    if (channel.kind !== "mail") {
      return (await Promise.all(due.map((one) => this.#try(claimed, one)))).flat();
    }
    const outcomes: Outcome[] = [];
    for (let from = 0; from < due.length; from += MAILS_AT_ONCE) {
      const some = due.slice(from, from + MAILS_AT_ONCE);
      const tried = (await Promise.all(some.map((one) => this.#try(claimed, one)))).flat();
      outcomes.push(...tried);
      const [first] = tried;
      const isSilent = tried.every(({ ok, status, final }) => !ok && status === 0 && !final);
      if (!first || !isSilent) continue;
      for (const one of due.slice(from + MAILS_AT_ONCE)) {
        outcomes.push(...ofAll(one, { ...first, uncounted: undefined }));
      }
      break;
    }
    return outcomes;
  }

  /**
   * The outcomes of a delivery, and of each that is gathered into its mail; none if there was no
   * time left.
   */
  async #try({ channel, claimedAt, passed }: Timed, due: DueMail): Promise<Outcome[]> {
    const began = passed();
    // A node that was stopped for long has lost the right, and another node may be sending it.
    if (began + TRY_MS >= LEASE_MS) return [];
    const facts = { "keydesk.topic": due.topic, "keydesk.channel": channel.kind };
    const sent = await withSpan(
      "delivery",
      { kind: "client", facts },
      () =>
        senders[channel.kind](this.#sending, channel, due.id, { ...due, org_id: channel.org_id }),
    ).catch((error: unknown): Sent => ({
      ok: false,
      gone: false,
      status: 0,
      durationMs: passed() - began,
      answer: "",
      error: reasonOf(error),
      retryAfterMs: 0,
    }));
    this.ctx.metrics?.deliveries[sent.ok ? "delivered" : "failed"].add(sent.durationMs);
    noteMailServer(this.ctx.problems, sent);
    const { retryAfterMs, skipped = [], mailLack: _, neededUtf8: __, ...rest } = sent;
    const outcome = {
      ...rest,
      id: due.id,
      at: toTimestamp(claimedAt + began),
      waitMs: waitAfter(due.tries, Math.random(), retryAfterMs),
    };
    return ofAll(due, outcome, skipped);
  }

  async #notifyOfPaused(): Promise<void> {
    const { storage, problems } = this.ctx;
    const paused = await pausedByFailing(storage.reader);
    if (!paused) return problems.end(PAUSED);
    const reason = `channel ${paused.id} of organisation ${paused.org_id} failed for long and is ` +
      "paused: what waits for it is sent once it is resumed";
    problems.begin(PAUSED, { reason, stops: "nothing" });
  }
}

/**
 * The claimed deliveries, the time of the claim by the store's clock, and the time that has passed
 * since.
 */
interface Timed extends Claimed {
  claimedAt: number;
  passed: () => number;
}

/**
 * The outcomes of a delivery and of all that is gathered into its mail; `skipped` objects were left
 * out.
 */
function ofAll(due: DueMail, outcome: Outcome, skipped: readonly string[] = []): Outcome[] {
  const all = [due, ...due.gathered].map(({ id, object_id }): Outcome => ({
    ...outcome,
    id,
    ...outcome.ok && skipped.includes(object_id) ? { final: "skipped" } : {},
  }));
  const [first, ...others] = all;
  // A mail that was not delivered counts for no recipient.
  if (!first || outcome.ok || due.counted === "") return all;
  return [{ ...first, uncounted: due.counted }, ...others];
}

/** A store that can't be reached now is nothing to tell of here: calls do. */
export function reportDelay(log: Pick<Log, "line">, error: unknown): void {
  if (error instanceof Failure && error.code === "unavailable") return;
  log.line("error", "deliveries were held up", { reason: reasonOf(error) });
}

/** Why nothing was answered, without what an address may hold besides. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\p{Cc}/gu, " ").slice(0, 500);
}
