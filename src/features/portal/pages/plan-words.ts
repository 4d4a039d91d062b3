import { type Html, html } from "./html.ts";
import type { Texts } from "./texts.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The part of a plan that is put into words. */
interface PlanLimits {
  readonly rate: number;
  readonly per: number;
  readonly quota_max: number;
  readonly quota_renewal_rate: number;
  readonly key_expires_in: number;
  readonly expiry_applies_to: "key" | "access";
}

/**
 * Plans by their names, each with the APIs that it is for: "Gold · Orders". An API that the plan's
 * name holds already is not named twice.
 */
export function namesOf(
  t: Texts,
  plans: readonly { name: string; apis: readonly string[] }[],
): string {
  return plans.map(({ name, apis }) => {
    const others = apis.filter((api) => !name.toLowerCase().includes(api.toLowerCase()));
    const title = name || t.say("plan.gone");
    return others.length === 0 ? title : `${title} · ${others.join(", ")}`;
  }).join("; ");
}

/** How many calls a plan gives at a time. */
export function rateOf(t: Texts, { rate, per }: PlanLimits): string {
  if (rate <= 0 || per <= 0) return t.say("plan.rate.none");
  const unit = { 1: "second", [MINUTE]: "minute", [HOUR]: "hour", [DAY]: "day" }[per] ?? "other";
  return t.say("plan.rate", { n: t.number(rate), unit, seconds: t.number(per) });
}

/** How many calls a plan gives in all. */
export function quotaOf(t: Texts, { quota_max, quota_renewal_rate }: PlanLimits): string {
  if (quota_max <= 0) return t.say("plan.quota.none");
  const n = t.number(quota_max);
  if (quota_renewal_rate <= 0) return t.say("plan.quota.ever", { n });
  return quota_renewal_rate >= DAY
    ? t.say("plan.quota", { n, days: Math.round(quota_renewal_rate / DAY) })
    : t.say("plan.quota.hours", { n, hours: Math.max(1, Math.round(quota_renewal_rate / HOUR)) });
}

/** How long its keys, or the access, last. */
export function lifeOf(t: Texts, { key_expires_in, expiry_applies_to }: PlanLimits): string {
  if (key_expires_in <= 0) return t.say("plan.life.none");
  const days = Math.max(1, Math.round(key_expires_in / DAY));
  return t.say(expiry_applies_to === "access" ? "plan.access" : "plan.life", { days });
}

/** How long a decision takes, about. */
export function usually(t: Texts, seconds: number): string {
  const [unit, length] = seconds < 90 * MINUTE
    ? ["minute", MINUTE] as const
    : seconds < 2 * DAY
    ? ["hour", HOUR] as const
    : ["day", DAY] as const;
  return t.say("usually", { n: Math.max(1, Math.round(seconds / length)), unit });
}

/** A state in words, with a colour besides. */
export function pill(look: "good" | "wait" | "bad" | "quiet", words: string): Html {
  return html`<span class="pill ${look}">${words}</span>`;
}
