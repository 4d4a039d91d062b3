import { openSqliteSession } from "./engines/sqlite-session.ts";
import type { StoreSession } from "./engines/store-session.ts";
import type { StorageLocation } from "./open-storage.ts";

/**
 * Opens one connection to a store as it is: nothing is migrated or made, but for an SQLite file
 * that is absent.
 */
export async function openSession(location: StorageLocation): Promise<StoreSession> {
  if ("path" in location) return openSqliteSession(location.path);
  const { openPostgresSession } = await import("./engines/postgres-session.ts");
  return openPostgresSession(location.url);
}
