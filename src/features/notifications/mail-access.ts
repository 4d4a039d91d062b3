import type { Connection } from "../../storage/storage.ts";
import { namesOfEveryPlan } from "../plans/plan-counts.store.ts";
import { apiNamesOf, type Plan } from "../plans/plan.ts";
import { planViewsOf, readPlan } from "../plans/plans.store.ts";
import type { MailConfig } from "./mail-config.ts";
import { word } from "./mail-language.ts";
import { nameInMail } from "./mail-words.ts";

/** A plan in a mail. */
export interface MailPlan extends
  Partial<
    Pick<Plan, "rate" | "per" | "quota_max" | "quota_renewal_rate" | "key_expires_in">
  > {
  /** A deleted plan has its last name and no limits; an unknown one its id. */
  readonly name: string;
  /** The names of the APIs that it is valid for. */
  readonly apis: readonly string[];
}

/** These plans as they are now, in their order. */
export async function plansOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<MailPlan[]> {
  const rows = await planViewsOf(db, org_id, ids);
  const deleted = await namesOfEveryPlan(db, org_id, ids.filter((id) => !rows.has(id)));
  return ids.map((id) => {
    const row = rows.get(id);
    if (!row) return { name: deleted.get(id) ?? id, apis: [] };
    const plan = readPlan(row);
    return { ...plan, apis: apiNamesOf(plan) };
  });
}

/** A plan with the APIs that it is for, unless its name says them: "Gold · Orders". */
export function accessOf({ name, apis }: MailPlan): string {
  const others = apis.filter((api) => !name.toLowerCase().includes(api.toLowerCase()));
  return nameInMail(others.length === 0 ? name : `${name} · ${others.join(", ")}`);
}

/** The names of several. */
export function accessesOf(plans: readonly MailPlan[]): string {
  return [...new Set(plans.map(accessOf))].join("; ");
}

/**
 * The limits of a plan and the life of its keys, a line each, in the language of a mail: "60 calls
 * / minute, 1,000 / 30 days" and "Keys expire after 90 days". None of a plan that is gone.
 */
export function limitsOf(config: MailConfig, plan: MailPlan): string[] {
  const { rate, per = 0, quota_max = 0, quota_renewal_rate = 0, key_expires_in = 0 } = plan;
  if (rate === undefined) return [];
  const { language } = config;
  const count = (calls: number) => new Intl.NumberFormat(language).format(calls);
  const calls = [
    ...rate > 0 && per > 0 ? [[rate, per] as const] : [],
    ...quota_max > 0 ? [[quota_max, quota_renewal_rate] as const] : [],
  ].map(([most, seconds], at) =>
    [count(most), ...at === 0 ? [word(config, "calls")] : []].join(" ") +
    (seconds > 0 ? ` / ${spanIn(language, seconds, "omitted")}` : ` ${word(config, "in_all")}`)
  );
  return [
    calls.length === 0 ? word(config, "no_limit") : calls.join(", "),
    ...key_expires_in > 0
      ? [`${word(config, "keys_expire_after")} ${spanIn(language, key_expires_in)}`]
      : [],
  ];
}

const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60]] as const;

/** A time in the largest unit that it has whole; `one`: a single one goes without its number. */
function spanIn(language: string, seconds: number, one?: "omitted"): string {
  const [unit, length] = UNITS.find(([, length]) => seconds % length === 0) ?? ["second", 1];
  const amount = seconds / length;
  const parts = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" })
    .formatToParts(amount);
  const kept = one && amount === 1 ? parts.filter(({ type }) => type === "unit") : parts;
  return kept.map(({ value }) => value).join("");
}

/** Days from one time to another, begun ones counted; 0 where it is past or none. */
export function daysBetween(from: string, to: string): number {
  const days = (Date.parse(to) - Date.parse(from)) / (24 * 60 * 60 * 1000);
  return Number.isNaN(days) ? 0 : Math.max(0, Math.ceil(days));
}

/** The developer of a request, by their name in mails. */
export function developerOf(
  { developer, by_user }: { developer: string | null; by_user: string },
): string {
  return developer === null ? by_user : developerName(developer).label || by_user;
}

/** The name that a developer gave, and their name for others. */
export function developerName(document: string): { name: string; label: string } {
  // as: a developer's document is what the contract lets in.
  const { email = "", fields = {} } = JSON.parse(document) as {
    email?: string;
    fields?: Record<string, unknown>;
  };
  const given = Object.entries(fields).find(([key, value]) =>
    /^(full[ _-]?)?name$/i.test(key) && typeof value === "string" && value.trim() !== ""
  );
  const name = given ? String(given[1]).trim() : "";
  return { name, label: name || email };
}
