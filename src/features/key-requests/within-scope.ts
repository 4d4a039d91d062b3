import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Tx } from "../../storage/storage.ts";
import { type Coverage, coverageOfActor, coverageOfStored } from "../plans/coverage.ts";
import { requireStillSeen } from "../keys/lock-key.transactions.ts";
import { parseHead } from "./stored-request.ts";
import { lockForDecision } from "./v1.store.ts";

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

/**
 * Requires the scope of a request by its id, for a repeated call, and of the key that it names, by
 * its id; "": of none. A deleted one is outside.
 */
export async function requireStillWithin(
  tx: Tx,
  { actor, id }: { actor: Actor; id: string },
  key_id: string,
): Promise<void> {
  if (!await coverageOfActor(tx, actor)) return;
  const row = await lockForDecision(tx, { org_id: actor.org_id, id });
  if (!row) throw new Failure("not_found");
  await requireWithin(tx, actor, row);
  if (key_id !== "") await requireStillSeen(tx, actor, key_id);
}

/** The members of a developer's object that name keys and plans. */
interface DeveloperMaps {
  keys?: Record<string, string[]>;
  subscriptions?: Record<string, string>;
  oauth_clients?: Record<string, { client_id: string }[]>;
}

/** The members of a request that name plans besides the requested ones. */
interface View {
  portal_developer?: DeveloperMaps;
  granted?: Terms;
  offer?: { terms: Terms } | null;
  approval?: { steps: { approved: { granted: Terms }[] }[] } | null;
  decided_on?: {
    plans: { id: string; held: boolean }[];
    developer: { keys: number };
  } | null;
}

/** The granted or offered terms. */
type Terms = { plans: string[] | null } | null;

/**
 * A request's JSON text without what is outside of the scope: what else its developer has, and
 * plans that others offered or granted instead of the requested ones. Of the developer's keys at
 * the decision, only those for plans within the scope are counted.
 */
export function textWithin(coverage: Coverage, text: string): string {
  // as: toKeyRequest and toDetail write an object of these members.
  const view = JSON.parse(text) as View;
  const { portal_developer, granted, offer, approval, decided_on } = view;
  if (portal_developer) keepWithin(coverage, portal_developer);
  const steps = approval?.steps.flatMap(({ approved }) => approved) ?? [];
  for (const terms of [granted, offer?.terms, ...steps.map((one) => one.granted)]) {
    if (terms?.plans) terms.plans = terms.plans.filter((one) => coverage.plans.has(one));
  }
  if (decided_on) {
    const { plans, developer } = decided_on;
    decided_on.plans = plans.filter(({ id }) => coverage.plans.has(id));
    developer.keys = decided_on.plans.filter(({ held }) => held).length;
  }
  return JSON.stringify(view);
}

/** Leaves of a developer's maps what is within the scope. */
export function keepWithin(coverage: Coverage, developer: DeveloperMaps): void {
  const { keys = {}, subscriptions, oauth_clients } = developer;
  const within = Object.entries(keys).filter(([, plans]) => coverage.holds(plans));
  const seen = new Set(within.map(([key_id]) => key_id));
  if (developer.keys) developer.keys = Object.fromEntries(within);
  // A key outside may have taken the place of one within; the newest within has it here.
  if (subscriptions) {
    developer.subscriptions = Object.fromEntries(
      within.flatMap(([key_id, plans]) => plans.map((plan) => [plan, key_id])),
    );
  }
  if (oauth_clients) {
    developer.oauth_clients = Object.fromEntries(
      Object.entries(oauth_clients).filter(([plan]) => coverage.plans.has(plan)).map((
        [plan, clients],
      ) => [plan, clients.filter(({ client_id }) => seen.has(sha256(client_id)))]),
    );
  }
}
