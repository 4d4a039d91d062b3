import type { ServiceContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { countByEnd } from "../../certificates/certificate-counts.store.ts";
import { KINDS } from "../../certificates/certificate.ts";
import { secondAt } from "../../certificates/selection.ts";
import { watchedGateways } from "../../verification/gateways/checking-gateways.store.ts";
import { newsOf } from "../../verification/gateways/silent-gateways.ts";
import { reportSilentGateways } from "../../verification/gateways/silent-gateways.transactions.ts";
import { isAnyDue } from "../../key-requests/expiry.store.ts";
import { dueReviews } from "../../keys/key-reviews.store.ts";
import { stepsOf } from "./alert.ts";
import {
  alertLease,
  countKeysEnding,
  nextOrganisation,
  reviewPlace,
  rulesOf,
} from "./alerts.store.ts";
import {
  actorOfAlerts,
  beginAlerts,
  type DigestCounts,
  leaveAlerts,
  notifyOfExpiries,
} from "./alerts.transactions.ts";
import { Restarts } from "./restarts.ts";
import { notifyOfReviews } from "./reviews.transactions.ts";
import { lookAtUnusedKeys, type Looking, resumeTimedKeys } from "./unused-keys.ts";
import { endWaitingRequests } from "./waiting-requests.transactions.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The server's part that it needs. */
export type AlertContext = Pick<ServiceContext, "storage" | "clock" | "storeClock">;

/**
 * Looks in every organisation, a batch at a time, for certificates and keys that expire, silent
 * gateways, keys that are due for review, key requests that expire undecided or can't be decided
 * any more, and keys that are unused or suspended for a while. Any number of nodes may call it over
 * one store: one at a time works, and each rule reports each object once.
 */
export class AlertEngine {
  readonly #id: string;
  readonly #since: number;
  readonly #restarts: Restarts;
  #holds = false;
  #isLeaving = false;

  constructor(private readonly ctx: AlertContext) {
    this.#since = ctx.clock.now();
    this.#id = newId(this.#since);
    this.#restarts = new Restarts(ctx);
  }

  /** One look; returns the number of alerts that it sent. */
  async turn(): Promise<number> {
    const { storage: { reader }, storeClock } = this.ctx;
    if (await alertLease.isOthers(reader, this.#id, await storeClock.now())) return 0;
    let reported = 0;
    for (
      let org_id = "", next;
      (next = await nextOrganisation(reader, { behind: org_id })) !== undefined;
    ) {
      if (this.#isLeaving) break;
      org_id = next;
      reported += await this.#look(org_id);
      if (this.#holds) await resumeTimedKeys(this.#looking(org_id));
      if (this.#holds && !this.#isLeaving) reported += await this.#lookAtGateways(org_id);
      if (this.#holds && !this.#isLeaving) reported += await this.#lookAtReviews(org_id);
      if (this.#holds) reported += await this.#lookAtRequests(org_id);
      if (this.#holds) reported += await this.#restarts.look(org_id, () => this.#isLeaving);
      if (this.#holds) reported += await lookAtUnusedKeys(this.#looking(org_id));
    }
    return reported;
  }

  #looking(org_id: string): Looking {
    const { ctx } = this;
    return { ctx, org_id, holder: this.#id, isLeaving: () => this.#isLeaving };
  }

  /** A turn under way ends with the batch that it is at. */
  leaves(): void {
    this.#isLeaving = true;
  }

  /**
   * Leaves the looking to the other nodes at once, where no turn is under way. Throws
   * `unavailable`.
   */
  async giveBack(): Promise<void> {
    if (!this.#holds) return;
    this.#holds = false;
    await this.ctx.storage.commit(leaveAlerts, { holder: this.#id });
  }

  async #look(org_id: string): Promise<number> {
    const { storage, storeClock } = this.ctx;
    let reported = 0;
    while (!this.#isLeaving) {
      const look = { org_id, holder: this.#id, now: await storeClock.now() };
      const looked = await storage.commit(notifyOfExpiries, look);
      reported += looked.reported;
      this.#holds = looked.leased;
      if (!looked.leased) break;
      if (!looked.started) {
        const counts = await this.#count(org_id, look.now);
        await storage.commit(beginAlerts, { ...look, counts });
      } else if (!looked.more) break;
    }
    return reported;
  }

  /** Tells of gateways, where there is something new of any. */
  async #lookAtGateways(org_id: string): Promise<number> {
    const { storage, storeClock } = this.ctx;
    const now = await storeClock.now();
    const look = { now, listeningSince: this.#since };
    const gateways = await watchedGateways(storage.reader, { org_id });
    if (gateways.every((gateway) => newsOf(gateway, look) === undefined)) return 0;
    return await storage.commit(reportSilentGateways, { actor: actorOfAlerts(org_id, now), look });
  }

  /** Tells of keys that people want to look at again, where any is due. */
  async #lookAtReviews(org_id: string): Promise<number> {
    const { storage, storeClock } = this.ctx;
    const now = await storeClock.now();
    const place = await reviewPlace(storage.reader, org_id);
    const due = await dueReviews(storage.reader, { org_id, ...place, now: toTimestamp(now) });
    if (due.length === 0) return 0;
    return await storage.commit(notifyOfReviews, { org_id, holder: this.#id, now });
  }

  /** Reminds of requests that wait too long, and ends them, where any is due. */
  async #lookAtRequests(org_id: string): Promise<number> {
    const { storage, storeClock } = this.ctx;
    let done = 0;
    while (!this.#isLeaving) {
      const now = await storeClock.now();
      if (!await isAnyDue(storage.reader, { org_id, now: toTimestamp(now) })) break;
      const look = { org_id, holder: this.#id, now };
      const { reminded, ended, more } = await storage.commit(endWaitingRequests, look);
      done += reminded + ended;
      if (!more) break;
    }
    return done;
  }

  /**
   * Counts expiries within the reach of the rules. By counters, and for keys by an index: outside
   * of a transaction.
   */
  async #count(org_id: string, now: number): Promise<DigestCounts> {
    const { reader } = this.ctx.storage;
    const soon = now + (stepsOf(await rulesOf(reader, org_id)).at(-1) ?? 0) * DAY_MS;
    const [ended = 0, within = 0] = await countByEnd(
      reader,
      org_id,
      KINDS,
      [now, soon].map(secondAt),
    );
    const keysEnded = await countKeysEnding(reader, { org_id, to: toTimestamp(now) });
    const keysWithin = await countKeysEnding(reader, { org_id, to: toTimestamp(soon) });
    return {
      certificates_ended: ended,
      certificates_ending: within - ended,
      keys_ended: keysEnded,
      keys_ending: keysWithin - keysEnded,
    };
  }
}
