import type { ServiceContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { countByEnd } from "../certificates/certificate-counts.store.ts";
import { KINDS } from "../certificates/certificate.ts";
import { secondAt } from "../certificates/selection.ts";
import { stepsOf } from "./alert.ts";
import { alertLease, countKeysEnding, nextOrganisation, rulesOf } from "./alerts.store.ts";
import { beginAlerts, type DigestCounts, tellOfEnds } from "./alerts.transactions.ts";

/** How long a node keeps the right to look without using it. */
const LEASE_MS = 30_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What it needs of the desk. */
export type AlertContext = Pick<ServiceContext, "storage" | "clock">;

/**
 * Looks for what ends, in every organisation, a batch at a time. Any number of nodes may do so over one store: one at a
 * time does, and each object is told of once by each rule.
 */
export class AlertEngine {
  readonly #id: string;

  constructor(private readonly ctx: AlertContext) {
    this.#id = newId(ctx.clock.now());
  }

  /** One look; gives how many alerts it told. */
  async turn(): Promise<number> {
    const { storage: { reader }, clock } = this.ctx;
    if (await alertLease.isOthers(reader, this.#id, clock.now())) return 0;
    let told = 0;
    for (
      let org_id = "", next;
      (next = await nextOrganisation(reader, { behind: org_id })) !== undefined;
    ) {
      org_id = next;
      told += await this.#look(org_id);
    }
    return told;
  }

  async #look(org_id: string): Promise<number> {
    const { storage, clock } = this.ctx;
    for (let told = 0;;) {
      const look = { org_id, holder: this.#id, leaseMs: LEASE_MS, now: clock.now() };
      const looked = await storage.commit(tellOfEnds, look);
      told += looked.told;
      if (!looked.leased) return told;
      if (!looked.started) {
        const counts = await this.#count(org_id, look.now);
        await storage.commit(beginAlerts, { ...look, counts });
      } else if (!looked.more) return told;
    }
  }

  /** What ends within the reach of the rules. By counters, and for keys by an index: outside of a transaction. */
  async #count(org_id: string, now: number): Promise<DigestCounts> {
    const { reader } = this.ctx.storage;
    const soon = now + (stepsOf(await rulesOf(reader, org_id)).at(-1) ?? 0) * DAY_MS;
    const [ended = 0, within = 0] = await countByEnd(
      reader,
      org_id,
      KINDS,
      [now, soon].map(secondAt),
    );
    const keysEnded = await countKeysEnding(reader, org_id, toTimestamp(now));
    const keysWithin = await countKeysEnding(reader, org_id, toTimestamp(soon));
    return {
      certificates_ended: ended,
      certificates_ending: within - ended,
      keys_ended: keysEnded,
      keys_ending: keysWithin - keysEnded,
    };
  }
}
