import { planIdsOf } from "../../features/plans/plan-ids.store.ts";
import type { Connection } from "../../storage/storage.ts";
import { isObject } from "./extended-json.ts";
import type { Members } from "./source.ts";

/**
 * Whose plans and APIs are whose, learnt while they are read: a record of an OAuth client says of
 * itself nothing of it.
 */
export class Organisations {
  readonly #own = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(readonly db: Connection, readonly org_id: string) {}

  /** Learns from a plan: its ids and the APIs that it opens. */
  notePlan({ _id, id, access_rights }: Members, isForeign: boolean): void {
    const apis = isObject(access_rights) ? Object.keys(access_rights) : [];
    const known = isForeign ? this.#foreign : this.#own;
    for (const plan of [_id, id]) if (typeof plan === "string") known.add(`plan ${plan}`);
    for (const api of apis) known.add(`api ${api}`);
  }

  /** Whose the client of a plan and an API is: its plan decides, or its API for an unknown plan. */
  async ofClient(plan: string, api: string): Promise<"own" | "foreign" | "unknown"> {
    const named = [...plan === "" ? [] : [`plan ${plan}`], ...api === "" ? [] : [`api ${api}`]];
    const [byPlan, byApi] = named.map((one) => this.#side(one));
    if (byPlan !== "unknown" && byPlan !== undefined) return byPlan;
    if (plan !== "" && (await planIdsOf(this.db, this.org_id, [plan])).has(plan)) return "own";
    return byApi ?? "unknown";
  }

  #side(name: string): "own" | "foreign" | "unknown" {
    if (this.#own.has(name)) return "own";
    return this.#foreign.has(name) ? "foreign" : "unknown";
  }
}
