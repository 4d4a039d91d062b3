import type { DenialReason } from "../../contract/denied-calls.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { type DenialFacts, HASH_DIGITS } from "./denied-calls/denied-call.ts";
import type { DeniedCallRing } from "./denied-calls/denied-call-ring.ts";
import type { CallOrigin } from "./call-origin.ts";
import type { KnownKey } from "./known-key.ts";
import type { CallRule } from "./plan-grants.ts";
import type { Presented } from "./presented.ts";

/** APIs that a refusal names, of those that the key's plans open. */
const NAMED_APIS = 8;
/** The API and path of a call are kept if they are not longer than any real name. */
const LONGEST_NAME = 255;

/** A verdict that refuses, as the verifier gives it. */
interface Refused {
  readonly reason: DenialReason;
  readonly retryAfterSeconds?: number;
}

/** Keeps that a key which is known was refused, where there is room for it. */
export function noteDeniedCall(
  ring: DeniedCallRing,
  { key, expiresAt, rule }: { key: KnownKey; expiresAt: number; rule: CallRule | undefined },
  api_id: string | undefined,
  result: Refused,
  { gateway, network }: CallOrigin,
  now: number,
): void {
  const { org_id, key_id, facts: { developer_id } } = key;
  if (!ring.takeRoom(org_id, key_id, now)) return;
  ring.add({
    org_id,
    id: newId(now),
    at: toTimestamp(now),
    reason: result.reason,
    gateway,
    api_id: nameOf(api_id),
    plan_id: rule?.plan_id ?? "",
    key_id,
    developer_id,
    facts: factsOf(key, expiresAt, rule, result),
    hash_start: key_id.slice(0, HASH_DIGITS),
    network: network(),
  });
}

/** Notes a call with an unknown key: of the key only the first digits of its hash are kept. */
export function noteUnknown(
  ring: DeniedCallRing,
  org_id: string,
  presented: Presented,
  api_id: string | undefined,
  { gateway, network }: CallOrigin,
  now: number,
): void {
  if (!ring.takeRoom(org_id, "", now)) return;
  ring.add({
    org_id,
    id: newId(now),
    at: toTimestamp(now),
    reason: "unknown",
    gateway,
    api_id: nameOf(api_id),
    plan_id: "",
    key_id: "",
    developer_id: "",
    facts: {},
    hash_start: sha256(presented.name).slice(0, HASH_DIGITS),
    network: network(),
  });
}

// A text that no column takes names nothing.
function nameOf(api_id = ""): string {
  // deno-lint-ignore no-control-regex -- these are what is left out
  return api_id.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").toWellFormed().slice(0, LONGEST_NAME);
}

function factsOf(
  key: KnownKey,
  expiresAt: number,
  rule: CallRule | undefined,
  { reason, retryAfterSeconds }: Refused,
): DenialFacts {
  const retry = retryAfterSeconds === undefined ? {} : { retry_after: retryAfterSeconds };
  if (reason === "over_rate" && rule) {
    return { limit: rule.rate, per_seconds: rule.ratePeriodMs / 1000, ...retry };
  }
  if (reason === "over_quota" && rule) {
    return { limit: rule.quotaMax, per_seconds: rule.quotaPeriodMs / 1000, ...retry };
  }
  if (reason === "expired") return { ended_at: toTimestamp(expiresAt) };
  if (reason !== "wrong_api") return {};
  const apis = new Set(key.grants.rules.flatMap((one) => [...one.apis ?? []]));
  return { apis: [...apis].slice(0, NAMED_APIS) };
}
