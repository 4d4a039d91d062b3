import type { Connection } from "../../../storage/storage.ts";
import { deniedCallsBehind } from "../../verification/denied-calls/denied-calls.store.ts";

/** As many denied calls of a key are kept. */
const MOST = 100;

/** The origins of calls with a suspended key, as far as single denied calls are kept. */
interface SuspendedCalls {
  /** 100: so many or more. */
  count: number;
  last_at: string | null;
  /** The gateways at which it was tried, each once. */
  gateways: string[];
}

/** Calls denied because the key has been suspended since `since`. */
export async function suspendedCallsOf(
  db: Connection,
  { org_id, key_id, since }: { org_id: string; key_id: string; since: string },
): Promise<SuspendedCalls> {
  const rows = (await deniedCallsBehind(db, org_id, { name: "key_id", value: key_id }, "~", MOST))
    .filter(({ reason, at }) => reason === "suspended" && at >= since);
  return {
    count: rows.length,
    last_at: rows[0]?.at ?? null,
    gateways: [...new Set(rows.map(({ door }) => door))].filter((name) => name !== "").sort(),
  };
}
