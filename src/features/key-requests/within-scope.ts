import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { type Coverage, coverageOfActor, coverageOfStored } from "../plans/coverage.ts";
import { parseHead } from "./stored-request.ts";

/**
 * Whether a request is within a scope: all that it asks for, and all that its key would lose. One
 * that asks for something else besides is not.
 */
export function isWithin(coverage: Coverage, row: { head: string }): boolean {
  const { for_plan, apply_policies, remove_policies } = parseHead(row);
  const named = [for_plan, ...apply_policies].filter((one) => one !== "");
  return coverage.holds(named) && remove_policies.every((one) => coverage.plans.has(one));
}

/**
 * Throws `not_found` where the actor has a scope and the request is outside of it. `person`: theirs
 * as this transaction read it; absent: it is looked up.
 */
export async function requireWithin(
  tx: Tx,
  actor: Actor,
  row: { head: string },
  person?: { covers: string | null },
): Promise<Coverage | undefined> {
  const coverage =
    await (person ? coverageOfStored(tx, actor.org_id, person.covers) : coverageOfActor(tx, actor));
  if (coverage && !isWithin(coverage, row)) throw new Failure("not_found");
  return coverage;
}

/** What of a developer's object names keys and plans. */
interface DeveloperMaps {
  keys?: Record<string, string[]>;
  subscriptions?: Record<string, string>;
  oauth_clients?: Record<string, unknown[]>;
}

/** A request's JSON text without what its developer has outside of the scope. */
export function textWithin(coverage: Coverage, text: string): string {
  // as: showKeyRequest and showV1 write an object with its developer's.
  const shown = JSON.parse(text) as { portal_developer?: DeveloperMaps };
  const { portal_developer: developer } = shown;
  if (!developer) return text;
  const { keys, subscriptions, oauth_clients } = developer;
  const ofPlan = ([plan]: [string, unknown]) => coverage.plans.has(plan);
  if (keys) {
    const within = Object.entries(keys).filter(([, plans]) => coverage.holds(plans));
    developer.keys = Object.fromEntries(within);
  }
  if (subscriptions) {
    developer.subscriptions = Object.fromEntries(Object.entries(subscriptions).filter(ofPlan));
  }
  if (oauth_clients) {
    developer.oauth_clients = Object.fromEntries(Object.entries(oauth_clients).filter(ofPlan));
  }
  return JSON.stringify(shown);
}
