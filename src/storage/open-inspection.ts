import type { Inspection } from "./engines/inspection.ts";
import { inspectSqlite } from "./engines/sqlite-inspection.ts";
import { defaultLimits } from "./engines/postgres-limits.ts";
import type { StorageLocation } from "./open-storage.ts";

/**
 * Opens a store to look at it, beside anyone who serves it; `copy`: a copy's SQLite file instead.
 */
export async function openInspection(
  location: StorageLocation,
  copy?: string,
): Promise<Inspection> {
  if (copy !== undefined) return inspectSqlite(copy, true);
  if ("path" in location) return inspectSqlite(location.path, false);
  const { inspectPostgres } = await import("./engines/postgres-inspection.ts");
  return inspectPostgres(location.url);
}

/**
 * The features that a database, or a pooler before it, lacks for the settings, a sentence each.
 * Throws the driver's errors.
 */
export async function databaseWarnings(location: StorageLocation): Promise<string[]> {
  if ("path" in location) return [];
  const { warningsOfPostgres } = await import("./engines/postgres-inspection.ts");
  return warningsOfPostgres(location.url, location.limits ?? defaultLimits);
}
