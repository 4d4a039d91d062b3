import { z } from "zod";
import { settings } from "./settings.ts";

/** A setting as the documentation shows it; texts are Markdown. */
export interface SettingRow {
  name: string;
  /** Empty where there is none. */
  default: string;
  /** Its possible values and their unit; empty if the meaning says it. */
  values: string;
  meaning: string;
  group: string;
}

/** The groups of the documentation; a setting belongs to the first whose names it fits. */
const groups: readonly (readonly [string, RegExp])[] = [
  ["Store", /^(DATA_DIR|UPGRADE|SEALING_KEY|ADMIN_TOKEN|ORG_ID)(_FILE)?$/],
  ["PostgreSQL", /^DATABASE_/],
  ["Keys and one-time links", /^(KEY|ONE_TIME_LINK|PASSWORD|OAUTH|REVOKE)_/],
  ["Leaks", /^LEAK/],
  ["Verification", /^(VERIFY_|FORWARD_AUTH_|UNKNOWN_PLAN$)/],
  ["Answers", /^(PAGE_SIZE|REFERENCES|DECLINED|V1_UNKNOWN|MASK_SECRETS|CERTS_.*|METHOD_OVERRIDE)$/],
  ["Retention", /^(RETAIN|AUDIT)_/],
  ["Outgoing connections", /^(OUTBOUND|SMTP_|MAIL_)/],
  ["Server", /./],
];

/** Every setting, for the documentation. */
export function settingsTable(): SettingRow[] {
  return Object.entries(settings).map(([name, setting]) => {
    const parsed = setting.safeParse(undefined);
    const value = parsed.success ? parsed.data : undefined;
    return {
      name: `KEYDESK_${name}`,
      default: value === undefined || (Array.isArray(value) && value.length === 0)
        ? ""
        : String(value),
      values: valuesOf(setting),
      meaning: setting.description ?? "",
      group: groups.find(([, names]) => names.test(name))?.[0] ?? "",
    };
  });
}

function valuesOf(setting: z.ZodType): string {
  if (setting instanceof z.ZodDefault || setting instanceof z.ZodOptional) {
    return valuesOf(setting.unwrap() as z.ZodType);
  }
  if (setting instanceof z.ZodEnum) {
    return setting.options.map((word) => `\`${word}\``).join(", ");
  }
  return setting.meta()?.values ?? "";
}
