import type { ServiceContext } from "../../../calls/context.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { policiesOf } from "../../key-requests/policies.store.ts";
import { offerIn, waitsAt } from "../../key-requests/offer.ts";
import { endFallenOffer, mayStillApprove } from "../../key-requests/offers.transactions.ts";
import { restartByItself } from "../../key-requests/restart-approval.transactions.ts";
import { type V1Row, walkRequests } from "../../key-requests/v1.store.ts";
import { everyDecider, lackOf } from "../../key-requests/who-may-decide.ts";

/** Requests that are read at once. */
const AT_ONCE = 200;
/** So long nothing is looked at again where neither people nor policies changed. */
const AGAIN_MS = 60 * 60 * 1000;

/**
 * Has requests that no one can decide any more approved by today's policy, where that asks at least
 * as many people, and takes back offers whose authors may decide no more. All that wait are looked
 * at where people or policies are others than they were, and each hour; each is looked at once more
 * in its own transaction.
 */
export class Restarts {
  readonly #seen = new Map<string, { what: string; at: number }>();

  constructor(private readonly ctx: Pick<ServiceContext, "storage" | "storeClock">) {}

  /** Gives how many it restarted. */
  async look(org_id: string, isLeaving: () => boolean): Promise<number> {
    const { storage: { reader }, storeClock } = this.ctx;
    const now = await storeClock.now();
    const policies = await policiesOf(reader, { org_id });
    const people = await everyDecider(reader, org_id);
    const all = people.map(({ person, coverage }) => [person, coverage === undefined]);
    const what = sha256(JSON.stringify([policies, all]));
    const seen = this.#seen.get(org_id);
    if (seen?.what === what && now - seen.at < AGAIN_MS) return 0;
    let restarted = 0;
    for (const walk of ["unapproved", "waiting"] as const) {
      let place = { sort: "", id: "" };
      for (;;) {
        if (isLeaving()) return restarted;
        const page = { newestFirst: false, place, limit: AT_ONCE };
        const rows = await walkRequests(reader, org_id, { walk }, page);
        for (const row of rows) {
          if (row.state !== "pending") continue;
          const { id } = row;
          if (await this.#hasFallen(org_id, row, now)) {
            if (await this.ctx.storage.commit(endFallenOffer, { org_id, id, now })) restarted++;
          }
          if (row.policy === null || lackOf(row, row.policy, people, now).length === 0) continue;
          if (await this.ctx.storage.commit(restartByItself, { org_id, id, now })) restarted++;
        }
        const last = rows.at(-1);
        if (!last || rows.length < AT_ONCE) break;
        place = { sort: last.instant, id: last.id };
      }
    }
    this.#seen.set(org_id, { what, at: now });
    return restarted;
  }

  /** Whether an offer waits whose author may decide no more. */
  async #hasFallen(org_id: string, row: V1Row, now: number): Promise<boolean> {
    const offer = waitsAt(row.offer, now) ? offerIn(row.offer) : null;
    if (!offer) return false;
    const author = { org_id, id: offer.by };
    return !await mayStillApprove(this.ctx.storage.reader, author, row, offer.terms);
  }
}
