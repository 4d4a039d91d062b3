import { migrateSession, stepsOf } from "../migrate-session.ts";
import { checkSchema } from "../migrate.ts";
import { isConnectionLoss } from "./postgres-errors.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { openPostgresSession } from "./postgres-session.ts";
import type { StoreSession } from "./store-session.ts";

/**
 * A start rides out that many lost connections; servers that are away are its supervisor's matter.
 */
const ATTEMPTS = 3;

/**
 * Brings the schema up to date under a lock that others who start at the same time wait for, or,
 * with `only: "check"`, looks whether it is. As long as it takes: its statements have no time
 * limit. `ifEmpty` is called before an empty schema is looked at or filled.
 */
export async function migratePostgres(
  url: string,
  limits: PostgresLimits,
  only?: "check",
  ifEmpty?: (session: StoreSession) => Promise<void>,
): Promise<void> {
  for (let attempt = 1;; attempt++) {
    const session = await openPostgresSession(url, limits);
    try {
      if (ifEmpty && (await stepsOf(session)).length === 0) await ifEmpty(session);
      if (only === "check") await checkSchema(session);
      else await migrateSession(session);
      return;
    } catch (error) {
      // It is done whole or not at all, and a second time it finds nothing to do.
      if (!isConnectionLoss(error) || attempt === ATTEMPTS) throw error;
    } finally {
      await session.close().catch(() => {});
    }
  }
}
