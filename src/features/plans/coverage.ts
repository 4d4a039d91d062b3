import { readScope, type Scope } from "../../contract/scope.ts";
import type { Principal } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import type { Connection } from "../../storage/storage.ts";
import { findPerson } from "../people/people.store.ts";
import { everyPlan } from "./every-plan.store.ts";
import { everyIdOf } from "./plan-ids.store.ts";
import { type Plan, scopeOf } from "./plan.ts";

/** The present scope of plans. It alone decides whether a caller with a scope sees something. */
export interface Coverage {
  /** Both ids of every plan that is covered. */
  readonly plans: ReadonlySet<string>;
  /** Whether a thing of these plans is within it: there is one, and all of them are covered. */
  holds(plans: readonly string[]): boolean;
}

/** Resolves a scope. Deleted plans are in it if they are named. */
async function coverageOf(
  db: Connection,
  org_id: string,
  covers: Scope,
): Promise<Coverage> {
  const plans = new Set(await everyIdOf(db, org_id, covers.plans));
  if (covers.apis.length + covers.tags.length > 0) {
    for await (const { plan } of everyPlan(db, org_id)) {
      if (isCovered(plan, covers)) plans.add(plan._id).add(plan.id);
    }
  }
  return {
    plans,
    holds: (named) => named.length > 0 && named.every((one) => plans.has(one)),
  };
}

/** Whether a thing is seen, by its plans as they are stored; without a scope everything is. */
export function isSeenBy(coverage: Coverage | undefined, { plans }: { plans: string }): boolean {
  // as: plans are stored as an array of ids.
  return !coverage || coverage.holds(JSON.parse(plans) as string[]);
}

/** A plan without `access_rights` opens every API, and so is covered by none. */
function isCovered(plan: Plan, { apis, tags }: Scope): boolean {
  if (plan.tags.some((one) => tags.includes(one))) return true;
  const opened = Object.keys(plan.access_rights);
  return scopeOf(plan).access && opened.length > 0 && opened.every((one) => apis.includes(one));
}

/** The scope of a caller; undefined: everything. */
export async function coverageOfCaller(
  db: Connection,
  { org_id, covers }: Pick<Principal, "org_id" | "covers">,
): Promise<Coverage | undefined> {
  return covers && await coverageOf(db, org_id, covers);
}

/** The scope of the actor, by the store in this very transaction. */
export async function coverageOfActor(
  db: Connection,
  { org_id, user_id }: Actor,
): Promise<Coverage | undefined> {
  const person = await findPerson(db, { org_id, id: user_id });
  return await coverageOfStored(db, org_id, person?.covers ?? null);
}

/** Reads what stored scopes cover, each once however many people have it. */
export function coverageReader(
  db: Connection,
  org_id: string,
): (stored: string | null) => Promise<Coverage | undefined> {
  const known = new Map<string | null, Promise<Coverage | undefined>>();
  return (stored) => {
    const read = known.get(stored) ?? coverageOfStored(db, org_id, stored);
    known.set(stored, read);
    return read;
  };
}

/** The scope of its stored form; null: there is none. */
export async function coverageOfStored(
  db: Connection,
  org_id: string,
  stored: string | null,
): Promise<Coverage | undefined> {
  const covers = readScope(stored);
  return covers === null ? undefined : await coverageOf(db, org_id, covers);
}
