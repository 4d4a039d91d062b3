import { succeed } from "./companions.ts";
import type { TestDesk } from "./desk.ts";
import { type DeveloperClient, openPages, registered, signInByCode } from "./developers.ts";
import { planWith } from "./verification.ts";

/** What was offered, as `/v1` and the developer read it. */
export interface ShownOffer {
  id: string;
  state: string;
  terms: { rate: unknown; plans: string[] | null };
  message: string | null;
  words: string | null;
}

/** A developer's request for a plan of 100 calls a second and 1,000 a day, that waits. */
export async function askedForPlan(desk: TestDesk): Promise<{
  id: string;
  plan: string;
  other: string;
  ada: DeveloperClient;
}> {
  await openPages(desk);
  const limits = { rate: 100, per: 1, quota_max: 1000, quota_renewal_rate: 86_400 };
  const plan = await planWith(desk, limits, ["tides"]);
  const other = await planWith(desk, { rate: 5, per: 1 }, ["waves"]);
  const { id: by_user, email } = await registered(desk, "dev-ada");
  const ada = await signInByCode(desk, email);
  const body = { by_user, for_plan: plan };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  return { id, plan, other, ada };
}

/** Offers something else; the call must succeed. Gives the offer. */
export async function makeOffer(
  desk: TestDesk,
  id: string,
  conditions: Record<string, unknown>,
  words: Record<string, unknown> = {},
): Promise<ShownOffer> {
  const path = `/v1/key-requests/${id}/offer`;
  const body = { conditions, ...words };
  return (await succeed<{ offer: ShownOffer }>(desk, "POST", path, { body })).offer;
}
