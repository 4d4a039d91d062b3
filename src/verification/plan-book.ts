import { Failure } from "../lib/failure.ts";
import type { PlanRules } from "../plans/plan.ts";
import { findPlanRules } from "../plans/plans.store.ts";
import type { Connection } from "../storage/storage.ts";
import { grantsOf, type PlanGrants } from "./plan-grants.ts";

type Plan = PlanRules | { id: string; unknown: true };

/** Plans, and sets of plans, that are kept; beyond it all are read anew. */
const MOST = 10_000;
/** Plans change rarely; a look that is overtaken by so many changes is given up. */
const ATTEMPTS = 5;

/** What sets of plans grant, kept in memory. Each set is one object, which all keys that have it share. */
export class PlanBook {
  readonly #db: Connection;
  readonly #references: "open" | "strict";
  readonly #plans = new Map<string, Plan>();
  readonly #sets = new Map<string, PlanGrants>();
  #version = 0;

  constructor(db: Connection, references: "open" | "strict") {
    this.#db = db;
    this.#references = references;
  }

  /** Whether no plan has changed since these were made. */
  isCurrent(grants: PlanGrants): boolean {
    return grants.version === this.#version;
  }

  /** What the plans of a JSON array of ids grant now. */
  async grantsOf(org_id: string, plans: string): Promise<PlanGrants> {
    const name = `${org_id} ${plans}`;
    const known = this.#sets.get(name);
    if (known && this.isCurrent(known)) return known;
    const made = await this.#make(org_id, JSON.parse(plans));
    if (this.#sets.size >= MOST) this.#sets.clear();
    this.#sets.set(name, made);
    return made;
  }

  /** The plan must be looked at again. */
  forget(org_id: string, id: string): void {
    this.#version++;
    this.#plans.delete(`${org_id} ${id}`);
  }

  /** Every plan must. */
  forgetAll(): void {
    this.#version++;
    this.#plans.clear();
    this.#sets.clear();
  }

  async #make(org_id: string, ids: readonly string[]): Promise<PlanGrants> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const version = this.#version;
      const plans: Plan[] = [];
      for (const id of ids) plans.push(await this.#find(org_id, id));
      if (version === this.#version) return grantsOf(plans, this.#references, version);
    }
    throw new Failure("unavailable");
  }

  async #find(org_id: string, id: string): Promise<Plan> {
    const name = `${org_id} ${id}`;
    const known = this.#plans.get(name);
    if (known) return known;
    const version = this.#version;
    const found = await findPlanRules(this.#db, org_id, id) ?? { id, unknown: true as const };
    // What was read before a change must not be kept after it.
    if (version === this.#version) {
      if (this.#plans.size >= MOST) this.#plans.clear();
      this.#plans.set(name, found);
    }
    return found;
  }
}
