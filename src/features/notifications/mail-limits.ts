import type { MailPlan } from "./mail-access.ts";
import type { MailConfig } from "./mail-config.ts";
import { word } from "./mail-language.ts";

/**
 * The limits of a plan and the life of its keys, a line each, in the language of a mail: "60 calls /
 * minute, 1,000 / 30 days" and "Keys expire after 90 days". None of a plan that is gone.
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
