import type { z } from "zod";
import type { DenialReason } from "../../contract/denied-calls.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { readAddress } from "../../kernel/networks.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { keyExists } from "../keys/keys.store.ts";
import { type checkedKey, checkSteps, type keyToCheck } from "./explain.contract.ts";
import { type Entry, type KnownKey, KnownToken, refusalOfAddress } from "./known-key.ts";
import { type CallRule, NEVER_RENEWED_MS, ruleFor } from "./plan-grants.ts";
import { quotaPeriodOf, quotaRemaining } from "./quota-leases.ts";
import { usedOfKeys } from "./quotas.store.ts";
import { periodOfOne, rateOfOne, rateRemaining } from "./rate.ts";
import type { VerificationContext } from "./verifier.ts";

type KeyCheck = z.output<typeof checkedKey>;
type Step = typeof checkSteps[number];

/**
 * The result that a gateway would get for a key now, step by step, from the same memory and by the
 * same rules; nothing is counted, taken or kept. Throws `unavailable`.
 */
export async function checkKey(
  ctx: VerificationContext,
  { key, key_id, api_id, address }: z.output<typeof keyToCheck>,
): Promise<KeyCheck> {
  const { org_id } = ctx.principal;
  const hash = key_id ?? sha256(key ?? "");
  const isLooked = key !== undefined || await keyExists(ctx.storage.reader, {
    org_id,
    key_id: hash,
  });
  const entry = isLooked ? await ctx.verifier.look(org_id, hash, key ?? "") : null;
  const isBareClient = key !== undefined && entry !== null && !(entry instanceof KnownToken) &&
    entry.facts.kind !== "token";
  // A user name or an OAuth client's id is no key by itself.
  if (entry === null || isBareClient) return answer(null, "unknown", "key");
  const now = ctx.clock.now();
  const known = entry instanceof KnownToken ? entry.key : entry;
  const { state } = known.facts;
  if (state !== "active") return answer(entry, state, "state");
  if (now >= endOf(entry)) return answer(entry, "expired", "end");
  const visitor = () => address === undefined ? undefined : readAddress(address);
  const refusing = refusalOfAddress(known.facts, { address: visitor });
  if (refusing !== null) return answer(entry, refusing, "address");
  const { rules, whenNone } = known.grants;
  if (rules.length === 0 && whenNone !== "wrong_api") return answer(entry, whenNone, "plan");
  const rule = ruleFor(known.grants, api_id);
  if (rule === undefined) return answer(entry, "wrong_api", "api");
  const rate = rateOf(ctx, known, rule);
  const quota = await quotaOf(ctx, known, rule, now);
  if (rate !== null && rate.remaining === 0) {
    return { ...answer(entry, "over_rate", "rate"), plan_id: rule.plan_id, rate };
  }
  const limits = { plan_id: rule.plan_id, rate, quota };
  if (quota !== null && quota.remaining === 0) {
    return { ...answer(entry, "over_quota", "quota"), ...limits };
  }
  return { ...answer(entry, null, null), ...limits };
}

function endOf(entry: Entry): number {
  return entry instanceof KnownToken
    ? Math.min(entry.expiresAt, entry.key.facts.expiresAt)
    : entry.facts.expiresAt;
}

/** The answer up to the step that refuses; null: none does. */
function answer(entry: Entry | null, reason: DenialReason | null, refusing: Step | null): KeyCheck {
  const at = refusing === null ? checkSteps.length : checkSteps.indexOf(refusing);
  const result = (index: number) =>
    index < at ? "passed" as const : index === at ? "refused" as const : "not_reached" as const;
  const key = entry instanceof KnownToken ? entry.key : entry;
  const end = entry === null ? Infinity : endOf(entry);
  return {
    valid: reason === null,
    reason,
    key_id: key?.key_id ?? null,
    steps: checkSteps.map((step, index) => ({ step, result: result(index) })),
    // as: grants write a list of ids.
    plans: key === null ? [] : JSON.parse(key.grants.plansJson) as string[],
    plan_id: null,
    valid_for: key === null ? [] : opened(key),
    expires_at: end === Infinity ? null : toTimestamp(end),
    rate: null,
    quota: null,
  };
}

function opened({ grants: { rules } }: KnownKey): string[] | null {
  if (rules.some(({ apis }) => apis === null)) return null;
  return [...new Set(rules.flatMap(({ apis }) => [...apis ?? []]))];
}

/** The present state of this node's bucket. */
function rateOf(ctx: VerificationContext, key: KnownKey, rule: CallRule): KeyCheck["rate"] {
  if (rule.rate === 0) return null;
  const { processes } = ctx.settings;
  const most = rateOfOne(rule.rate, processes);
  const periodMs = periodOfOne(rule.rate, rule.ratePeriodMs, processes);
  const use = ctx.verifier.rateOf(key, rule.rate_plan);
  const { remaining } = rateRemaining(use, most, periodMs, performance.now());
  return { limit: rule.rate, per_seconds: rule.ratePeriodMs / 1000, remaining };
}

/** The rest of the period: the part that was not given out, and the unused part of this node. */
async function quotaOf(
  ctx: VerificationContext,
  key: KnownKey,
  rule: CallRule,
  now: number,
): Promise<KeyCheck["quota"]> {
  if (rule.quotaMax === 0) return null;
  const { org_id, key_id, facts } = key;
  const place = {
    org_id,
    key_id,
    plan_id: rule.quota_plan,
    period: quotaPeriodOf(facts, rule, now),
  };
  const { quotaKey } = facts;
  const given = (await usedOfKeys(ctx.storage.reader, org_id, [quotaKey])).get(quotaKey) ?? [];
  const used = given.find((one) => one.plan_id === place.plan_id && one.period === place.period)
    ?.used ?? 0;
  const state = { ...IDLE, period: place.period, used, left: ctx.verifier.unspent(place) };
  return {
    limit: rule.quotaMax,
    per_seconds: rule.quotaPeriodMs === NEVER_RENEWED_MS ? null : rule.quotaPeriodMs / 1000,
    remaining: quotaRemaining(state, rule, now).remaining,
  };
}

const IDLE = { refusedUntil: 0, refusedMax: 0, leasing: null };
