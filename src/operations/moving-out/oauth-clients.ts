/** A developer's OAuth clients, as they go back to a gateway. */
import type { Developer } from "../../features/developers/developer.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { PlanLimits } from "./original-shapes.ts";

/** The key ids of OAuth clients. */
export function clientIds(clients: Developer["oauth_clients"]): string[] {
  return Object.values(clients).flat().map(({ client_id }) => sha256(client_id));
}

/** Of OAuth clients those whose key ids are among the open ones. */
export function openOnly(
  clients: Developer["oauth_clients"],
  open: ReadonlySet<string>,
): Developer["oauth_clients"] {
  return Object.fromEntries(
    Object.entries(clients).map(([plan, list]) => [
      plan,
      list.filter(({ client_id }) => open.has(sha256(client_id))),
    ]),
  );
}

/** The APIs that a plan opens. */
export function apisOf(plan: string, plans: ReadonlyMap<string, PlanLimits>): string[] {
  return Object.keys(plans.get(plan)?.access_rights ?? {});
}

/** A developer's OAuth clients of which a gateway can have records, each with its plan. */
export function going(clients: Developer["oauth_clients"], plans: ReadonlyMap<string, PlanLimits>) {
  return Object.entries(clients).flatMap(([plan, list]) =>
    list.filter(({ secret }) => secret !== "" && apisOf(plan, plans).length > 0)
      .map((client) => ({ plan, client }))
  );
}
