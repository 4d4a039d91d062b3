import { join } from "node:path";
import { z } from "zod";
import { type UnknownPlanChoice } from "./calls/context.ts";
import { presentName } from "./contract/former-names.ts";
import { nearNames } from "./kernel/near-name.ts";
import {
  parseSealingKeys,
  type SealingKeys,
  SealingKeysInvalid,
} from "./kernel/sealing/sealing-keys.ts";
import type { Retention } from "./maintenance/retention/retained.ts";
import { type PostgresLimits } from "./storage/engines/postgres-limits.ts";
import { hasPassword, withPassword } from "./storage/engines/postgres-url.ts";
import { settings } from "./settings.ts";

/** Thrown for settings that can't be used. The message names each setting, never its value. */
export class ConfigInvalid extends Error {}

const schema = z.strictObject(settings);

/** The settings, checked. Frozen. */
export interface Config extends Readonly<Omit<z.output<typeof schema>, "SEALING_KEY">> {
  readonly SEALING_KEY?: SealingKeys;
  /** Path of the SQLite file. */
  readonly databaseFile: string;
}

/** The access of an unknown plan. Strict references never allow one, whatever is set. */
export function unknownPlanChoice(config: Config): UnknownPlanChoice {
  return config.UNKNOWN_PLAN === "allow" && config.REFERENCES === "open" ? "allow" : "refuse";
}

/** For how many days each table is kept; 0: for ever. */
export function retentionOf(config: Config): Retention {
  return {
    audit_events: config.RETAIN_AUDIT_DAYS,
    outbox_events: config.RETAIN_OUTBOX_DAYS,
    deliveries: config.RETAIN_OUTBOX_DAYS,
    claims: config.RETAIN_ONE_TIME_LINKS_DAYS,
    usage_hours: config.RETAIN_USE_HOURS_DAYS,
    usage_days: config.RETAIN_USE_DAYS,
  };
}

/**
 * Reads the settings out of an environment, and the files that stand for secret ones. Throws
 * ConfigInvalid, also for a `KEYDESK_` name that is none, and for what the operating system `os`
 * can't do.
 */
export function readConfig(
  environment: Readonly<Record<string, string>>,
  os: typeof Deno.build.os = Deno.build.os,
): Config {
  const set = Object.fromEntries(
    Object.entries(environment)
      .filter(([name, value]) => name.startsWith("KEYDESK_") && value !== "")
      .map(([name, value]) => [name.slice("KEYDESK_".length), value]),
  );
  const { given, unusable } = withFiles(set);
  const parsed = schema.safeParse(given);
  const nameOf = (setting: string) => givenName(setting, set);
  if (!parsed.success) {
    unusable.push(...parsed.error.issues.map((issue) => describeIssue(issue, nameOf)));
  }
  if (parsed.success && parsed.data.REUSE_PORT && os !== "linux") unusable.push(NO_SHARED_PORT);
  if (unusable.length > 0 || !parsed.success) throw new ConfigInvalid(unusable.join("\n"));
  const { SEALING_KEY, ...others } = parsed.data;
  const rest = { ...others, ...databaseUrl(others, nameOf) };
  if (rest.DATABASE_URL && SEALING_KEY === undefined) {
    throw new ConfigInvalid(
      `KEYDESK_SEALING_KEY: must be set with ${
        nameOf("DATABASE_URL")
      }; make one with \`keydesk sealing-key\``,
    );
  }
  return Object.freeze({
    ...rest,
    ...SEALING_KEY === undefined
      ? {}
      : { SEALING_KEY: readSealingKeys(SEALING_KEY, nameOf("SEALING_KEY")) },
    databaseFile: join(rest.DATA_DIR, "keydesk.db"),
  });
}

/** Elsewhere a system lets several listen, and gives every connection to one of them. */
const NO_SHARED_PORT =
  "KEYDESK_REUSE_PORT: only Linux shares a port's connections out; give each process a port of its own, behind a proxy";

/** Settings that may stand in a file of their own. */
const secretSettings = [
  "ADMIN_TOKEN",
  "DATABASE_URL",
  "DATABASE_PASSWORD",
  "SEALING_KEY",
  "LEAK_PARTNER_KEYS",
  "SMTP_URL",
] as const;

/** The name under which a setting was given: that of its file, where it is in one. */
function givenName(setting: string, set: Readonly<Record<string, string>>): string {
  const isSecret = secretSettings.some((name) => name === setting);
  const inFile = isSecret && set[setting] === undefined && set[`${setting}_FILE`] !== undefined;
  return `KEYDESK_${setting}${inFile ? "_FILE" : ""}`;
}

type NameOf = (setting: string) => string;

/** The settings, with those that stand in files, and a sentence for each that can't be read so. */
function withFiles(
  set: Readonly<Record<string, string>>,
): { given: Record<string, string>; unusable: string[] } {
  const given: Record<string, string> = { ...set };
  const unusable: string[] = [];
  for (const name of secretSettings) {
    const path = set[`${name}_FILE`];
    if (path === undefined) continue;
    if (set[name] !== undefined) {
      unusable.push(`KEYDESK_${name}_FILE: KEYDESK_${name} is set too; only one of both may be`);
      continue;
    }
    try {
      given[name] = Deno.readTextFileSync(path).replace(/\r?\n$/, "");
      if (given[name] === "") unusable.push(`KEYDESK_${name}_FILE: the file is empty`);
    } catch {
      unusable.push(`KEYDESK_${name}_FILE: the file is not there, or can't be read`);
    }
  }
  return { given, unusable };
}

/**
 * The URL with the password that stands apart. Throws ConfigInvalid where there are two, or one
 * without a URL.
 */
function databaseUrl(
  { DATABASE_URL, DATABASE_PASSWORD }: { DATABASE_URL?: string; DATABASE_PASSWORD?: string },
  nameOf: NameOf,
): { DATABASE_URL?: string } {
  if (DATABASE_PASSWORD === undefined || DATABASE_URL === undefined) return {};
  if (hasPassword(DATABASE_URL)) {
    throw new ConfigInvalid(
      `${nameOf("DATABASE_PASSWORD")}: ${
        nameOf("DATABASE_URL")
      } holds a password too; only one of both may`,
    );
  }
  return { DATABASE_URL: withPassword(DATABASE_URL, DATABASE_PASSWORD) };
}

/** How PostgreSQL is used, as the engine takes it. */
export function postgresLimits(config: Config): PostgresLimits {
  return {
    pool: config.DATABASE_POOL,
    connectMs: config.DATABASE_CONNECT_MS,
    statementMs: config.DATABASE_STATEMENT_MS,
    lockMs: config.DATABASE_LOCK_MS,
    idleMs: config.DATABASE_IDLE_MS,
    patienceMs: config.DATABASE_PATIENCE_MS,
  };
}

/** How long calls wait for a database elsewhere, in milliseconds; a file is not waited for. */
export function callLimits(
  { DATABASE_PATIENCE_MS: patienceMs, DATABASE_STATEMENT_MS }: Config,
  dialect: "postgres" | "sqlite",
): { patienceMs?: number; readingMs?: number } {
  return dialect === "postgres"
    ? { patienceMs, readingMs: patienceMs + DATABASE_STATEMENT_MS }
    : {};
}

function readSealingKeys(text: string, name: string): SealingKeys {
  try {
    return parseSealingKeys(text);
  } catch (error) {
    if (!(error instanceof SealingKeysInvalid)) throw error;
    throw new ConfigInvalid(`${name}: ${error.message}`);
  }
}

function describeIssue(issue: z.core.$ZodIssue, nameOf: NameOf): string {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => {
      const present = presentName("settings", `KEYDESK_${name}`);
      if (present !== undefined) return `KEYDESK_${name}: it is ${present} since 0.9.0`;
      const near = nearNames(name, Object.keys(settings)).map((one) => `KEYDESK_${one}`);
      return `KEYDESK_${name}: there is no such setting${
        near.length > 0 ? `; is ${near.join(" or ")} meant?` : ""
      }`;
    }).join("\n");
  }
  return `${nameOf(issue.path.join("."))}: ${issue.message}`;
}
