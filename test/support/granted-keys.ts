/** Keys that are granted less than was asked, one of each condition, made as clients make them. */
import assert from "node:assert/strict";
import { offerToken } from "../../src/features/key-requests/offer-link.ts";
import { Sealer } from "../../src/kernel/sealing/sealer.ts";
import { parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";

/** A call that must succeed; gives its answer. */
// deno-lint-ignore no-explicit-any -- answers of many shapes
export type Call = (method: string, path: string, body?: unknown) => Promise<any>;

/** What of a key can be less than was asked. */
export const conditions = [
  "end",
  "rate",
  "quota",
  "plan left out",
  "plan put in its place",
  "addresses",
] as const;

/** A key, or an OAuth client, on its condition. */
export interface GrantedKey {
  credential: { RawKey: string; Password?: string; client_id?: string; secret?: string };
  /** The plan by which it opens. */
  plan: string;
}

/** How they are made. */
export interface Granting {
  /** The API whose door is knocked at, as plans name it. */
  api: string;
  auth_type?: "authToken" | "oauth";
  /** From where alone the last of them opens. */
  addresses: string[];
  /** When the first one ends. */
  expires_at: string;
  tokenOf(request_id: string, offer_id: string): string;
}

/**
 * Grants keys of this plan that end soon, each later than the one before, until one was let in;
 * gives it as soon as its end is over. A key that is refused before its end fails the test.
 */
export async function keyThatEnded(
  call: Call,
  plan: string,
  isLetIn: (key: string) => Promise<boolean> | boolean,
): Promise<string> {
  for (let livesMs = 1500;; livesMs *= 2) {
    const by_user = `dev-ends-${livesMs}`;
    await call("POST", "/v1/developers", { id: by_user, email: `${by_user}@example.org` });
    const { id } = await call("POST", "/v1/key-requests", { by_user, for_plan: plan });
    const ends = Date.now() + livesMs;
    const body = { expires_at: new Date(ends).toISOString() };
    const { key: credential } = await call("POST", `/v1/key-requests/${id}/approve`, body);
    const wasIn = await isLetIn(credential.RawKey);
    assert.ok(wasIn || Date.now() >= ends, "a key was refused before its end");
    await new Promise((over) => setTimeout(over, Math.max(0, ends - Date.now())));
    if (wasIn) return credential.RawKey;
  }
}

/** The token of an offer's link, as its mail would tell it. */
export function offerTokens(sealingKey: string, org_id: string): Granting["tokenOf"] {
  const sealer = new Sealer(parseSealingKeys(sealingKey));
  return (request_id, offer_id) => offerToken(sealer, { org_id, request_id, offer_id });
}

/** Grants one key on each condition, of plans of 100 calls a second and 1,000 a day. */
export async function grantedKeys(
  call: Call,
  { api, auth_type = "authToken", addresses, expires_at, tokenOf }: Granting,
): Promise<Record<typeof conditions[number], GrantedKey>> {
  const planOf = async (opened: string) => {
    const access_rights = { [opened]: { api_id: opened, api_name: opened, versions: ["Default"] } };
    const limits = { rate: 100, per: 1, quota_max: 1000, quota_renewal_rate: 86_400 };
    const body = { name: `${opened} ${crypto.randomUUID()}`, auth_type, access_rights, ...limits };
    const { id } = await call("POST", "/v1/plans", body);
    return id as string;
  };
  const [here, elsewhere] = [await planOf(api), await planOf("elsewhere")];
  let serial = 0;
  const asked = async (...plans: string[]) => {
    const by_user = `dev-${auth_type}-${serial++}`;
    await call("POST", "/v1/developers", { id: by_user, email: `${by_user}@example.org` });
    const body = {
      by_user,
      for_plan: plans[0],
      plans,
      ...auth_type === "oauth" ? { oauth_info: { redirect_uri: "" } } : {},
    };
    return (await call("POST", "/v1/key-requests", body)).id as string;
  };
  const approved = async (plan: string, body: unknown): Promise<GrantedKey> => {
    const id = await asked(plan);
    const made = await call("POST", `/v1/key-requests/${id}/approve`, body);
    return { credential: made.key, plan };
  };
  const accepted = async (plans: string[], terms: unknown, plan = here): Promise<GrantedKey> => {
    const id = await asked(...plans);
    const path = `/v1/key-requests/${id}/offer`;
    const { offer } = await call("POST", path, { conditions: terms });
    const token = tokenOf(id, offer.id);
    const { one_time_link } = await call("POST", "/v1/offers/accept", { token });
    const opened = await call("POST", "/v1/one-time-links/open", {
      token: one_time_link.link.split("#")[1],
    });
    return { credential: opened.key, plan };
  };
  const few = { calls: 2, seconds: 3600 };
  return {
    end: await approved(here, { expires_at }),
    rate: await accepted([here], { rate: few }),
    quota: await accepted([here], { quota: few }),
    "plan left out": await accepted([here, elsewhere], { plans: [elsewhere] }, elsewhere),
    "plan put in its place": await accepted([elsewhere], { plans: [here] }),
    addresses: await approved(here, { conditions: { addresses } }),
  };
}
