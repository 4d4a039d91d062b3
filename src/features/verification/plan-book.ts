import type { UnknownPlanChoice } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Connection } from "../../storage/storage.ts";
import { findPlanRules } from "../plans/plans.store.ts";
import { grantsOf, type KnownPlan, type PlanGrants } from "./plan-grants.ts";

/** Plans that are kept; beyond it all are read anew. As many sets, which cost little to make. */
const MOST = 50_000;
/** Plans change rarely; a look that is overtaken by so many changes is given up. */
const ATTEMPTS = 5;

/**
 * The cached grants of sets of plans. Each set is one object, which all keys with these plans
 * share; it stops being current when one of its plans changes. Keys with other plans are not
 * affected.
 */
export class PlanBook {
  readonly #db: Connection;
  readonly #unknownPlan: UnknownPlanChoice;
  readonly #plans = new Map<string, KnownPlan>();
  readonly #sets = new Map<string, PlanGrants>();
  /** Grows with each change, so that what was read before one is not kept after it. */
  #changes = 0;

  constructor(db: Connection, unknownPlan: UnknownPlanChoice) {
    this.#db = db;
    this.#unknownPlan = unknownPlan;
  }

  /** The present grants of the plans of a JSON array of ids. Throws `unavailable`. */
  async grantsOf(org_id: string, plans: string): Promise<PlanGrants> {
    const name = `${org_id} ${plans}`;
    const ids: string[] = JSON.parse(plans);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = this.#sets.get(name);
      if (known && isCurrent(known)) return known;
      const found: KnownPlan[] = [];
      for (const id of ids) found.push(await this.#find(org_id, id));
      const made = grantsOf(found, this.#unknownPlan);
      if (this.#sets.size >= MOST) this.#sets.clear();
      this.#sets.set(name, made);
    }
    throw new Failure("unavailable");
  }

  /** The plan must be looked at again. */
  forget(org_id: string, id: string): void {
    const name = `${org_id} ${id}`;
    this.#changes++;
    const plan = this.#plans.get(name);
    if (plan) plan.current = false;
    this.#plans.delete(name);
  }

  /** Every plan must. */
  forgetAll(): void {
    this.#changes++;
    for (const plan of this.#plans.values()) plan.current = false;
    this.#plans.clear();
    this.#sets.clear();
  }

  async #find(org_id: string, id: string): Promise<KnownPlan> {
    const name = `${org_id} ${id}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const known = this.#plans.get(name);
      if (known) return known;
      const changes = this.#changes;
      const rules = await findPlanRules(this.#db, org_id, id) ?? null;
      if (changes !== this.#changes) continue;
      // A plan that is not kept hears of no change, so no one may hold one.
      if (this.#plans.size >= MOST) this.forgetAll();
      const found = this.#plans.get(name) ?? { id, rules, current: true };
      this.#plans.set(name, found);
      return found;
    }
    throw new Failure("unavailable");
  }
}

/** Whether none of the plans has changed since. */
export function isCurrent({ plans }: PlanGrants): boolean {
  for (const plan of plans) if (!plan.current) return false;
  return true;
}
