import { sql } from "kysely";
import { toTimestamp } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { clockOf } from "../storage/store-clock.ts";
import { statement } from "../storage/statement.ts";
import type { Tx } from "../storage/storage.ts";

/** The first release that knows conditions, signatures, and scopes of people. */
const SINCE = [0, 9, 0] as const;

/** A process that was not heard of for so long serves no one any more. */
const SILENT_MS = 60_000;

const versionsSql = statement<{ since: string }>()((db, p) =>
  db.selectFrom("nodes").select("version").distinct()
    .where("seen_at", ">=", p.since).limit(sql.lit(100))
);

/**
 * Throws `unavailable`, and says why, while a process serves whose release knows neither conditions
 * of keys nor scopes of people: it would open without them what they close.
 */
export async function requireNoOlderNode(
  tx: Tx,
  now: number,
  { unknown, then }: { unknown: string; then: string } = CONDITIONS,
): Promise<void> {
  const since = toTimestamp((await clockOf(tx) ?? now) - SILENT_MS);
  const versions = await tx.rows(versionsSql, { since });
  if (!versions.some(({ version }) => isOlder(version))) return;
  const message = `A node of an older release still serves, which knows no ${unknown}: ${then} ` +
    "once every node is upgraded.";
  throw new Failure("unavailable", { message });
}

const CONDITIONS = { unknown: "conditions", then: "grant and offer less" };

/** Whether a release is older than conditions and scopes. */
export function isOlder(version: string): boolean {
  const parts = version.split("-")[0]?.split(".").map(Number) ?? [];
  for (const [i, ours] of SINCE.entries()) {
    const theirs = parts[i] ?? 0;
    // An unreadable version knows nothing.
    if (theirs !== ours) return !(theirs > ours);
  }
  return false;
}
