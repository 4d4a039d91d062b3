import type { UnknownPlanChoice } from "../../../calls/context.ts";
import { headerText } from "../../../kernel/header-text.ts";
import type { PlanRules } from "../../plans/plan.ts";
import { grantsOf, ruleFor } from "../../verification/plan-grants.ts";
import type { MapSettings } from "./map-settings.ts";

/** The data of a key that decide whether its hash may be in a map. */
export interface HashedKey {
  readonly key_id: string;
  readonly kind: "token" | "basic" | "oauth";
  readonly algorithm: string;
  readonly wrapped_by: string | null;
  readonly weak: string | null;
  readonly expires_at: string | null;
}

/** Why a proxy checks an active key with Keydesk. */
export type Unmapped = "not_a_token" | "other_hash" | "short_key" | "end";

/** Calls in so many seconds; 0 calls: as many as they like. */
export interface MapLimit {
  readonly rate: number;
  readonly per: number;
}

/**
 * Why a key's hash is in no map; "": it may. A user name's hash is no secret, an imported key of
 * another hash is known by no SHA-256 yet, and a short text can be found by its hash.
 */
export function unmappedFor(key: HashedKey, { form }: MapSettings): Unmapped | "" {
  if (key.kind !== "token") return "not_a_token";
  if (key.algorithm !== "sha256" || key.wrapped_by !== null) return "other_hash";
  if (!/^[0-9a-f]{64}$/.test(key.key_id)) return "other_hash";
  if (key.weak !== null) return "short_key";
  // An agentgateway looks at no end.
  return form === "agentgateway" && key.expires_at !== null ? "end" : "";
}

/** How often a key of these plans may call the map's API; undefined: none of them opens it. */
export function limitFor(
  plans: readonly (readonly [name: string, rules: PlanRules | undefined])[],
  { api }: MapSettings,
  unknownPlan: UnknownPlanChoice,
): MapLimit | undefined {
  const known = plans.map(([id, rules]) => ({ id, rules: rules ?? null, current: true }));
  const rule = ruleFor(grantsOf(known, unknownPlan), api === "" ? undefined : api);
  return rule && { rate: rule.rate, per: rule.rate === 0 ? 0 : rule.ratePeriodMs / 1000 };
}

/**
 * The value of a hash in a map: `end:rate:per:developer:plans`. The end in seconds since 1970, 0:
 * none. Names that people chose are percent-encoded twice: for the map, and for a header.
 */
export function entryOf(
  developer_id: string,
  { plans, expires, limit }: {
    plans: readonly (readonly [string, ...string[]])[];
    expires: number;
    limit?: MapLimit | undefined;
  },
): string {
  const { rate, per } = limit ?? { rate: 0, per: 0 };
  const named = plans.map(([name]) => headerText(name)).join(",");
  return [expires, rate, per, word(headerText(developer_id)), word(named)].join(":");
}

/** Neither a blank nor anything that HAProxy's commands read otherwise. */
function word(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
