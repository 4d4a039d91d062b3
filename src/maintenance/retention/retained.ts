import { toTimestamp } from "../../kernel/clock.ts";

/**
 * The tables that are kept for a number of days, by its setting; the order in which they are
 * purged.
 */
export const retainedTables = ["audit_events", "outbox_events", "deliveries", "claims"] as const;
/** One of them. */
export type RetainedTable = typeof retainedTables[number];

/**
 * Counts, kept for a number of days too: rows without an id, purged of all organisations together.
 */
export const countedTables = ["usage_hours", "usage_days"] as const;
/** One of them. */
export type CountedTable = typeof countedTables[number];

/** The tables whose rows expire by themselves, and are useless from then on. */
export const passingTables = [
  "claim_links",
  "claim_secrets",
  "email_links",
  "idempotent_answers",
  "mail_counts",
  "oauth_tokens",
  "provider_grants",
  "sessions",
  "sign_in_codes",
  "sso_nonces",
  "developer_sessions",
  "developer_codes",
  "developer_links",
  "developer_tokens",
  "developer_invitations",
  "person_invitations",
  "passkey_challenges",
  "sign_in_places",
  "alerts",
  "alert_mutes",
  // The rows of a job before itself.
  "job_links",
  "job_rows",
  "jobs",
  // From then on a key is revoked for good, and a deleted developer forgotten.
  "ended_keys",
  "deleted_developers",
  "ended_counts",
  "elevations",
] as const;

/** One of them; `claim_secrets` are erased and their rows kept. */
export type PassingTable = typeof passingTables[number];

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * For how long some are kept behind their end, in milliseconds: anyone who audits a year finds it.
 */
const KEPT_MS: Partial<Record<PassingTable, number>> = { elevations: 400 * DAY_MS };

/** The limit before which expired rows of a table are removed; `now`: in milliseconds. */
export function endedUntil(table: PassingTable, now: number): string {
  return toTimestamp(now - (KEPT_MS[table] ?? 0));
}

/** Days for which each table is kept; 0: for ever. */
export type Retention = Readonly<Record<RetainedTable | CountedTable, number>>;

/**
 * The beginning of the UTC day before which a table's rows go; undefined where they stay for ever.
 * Whole days, so that rows go once a day and not one by one all day long.
 */
export function cutOf(days: number, nowMs: number): string | undefined {
  if (days === 0) return undefined;
  return toTimestamp(Math.floor(nowMs / DAY_MS) * DAY_MS - days * DAY_MS);
}

/** The day in the unit of counts: hours since 1970. */
export function hourOf(cut: string): number {
  return Date.parse(cut) / (60 * 60 * 1000);
}

/** The least id that can have been made at a time or after it: ids begin with their second. */
export function leastIdAt(at: string): string {
  return Math.max(0, Math.floor(Date.parse(at) / 1000)).toString(16).padStart(8, "0");
}
