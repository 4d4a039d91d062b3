import type { Connection } from "../../../storage/storage.ts";
import { refusalsBehind } from "../../verification/denied-calls/denied-calls.store.ts";

/** As many refusals of a key are kept. */
const MOST = 100;

/** Who tried a key while it was suspended, as far as single refusals are kept. */
interface Knocks {
  /** 100: so many or more. */
  count: number;
  last_at: string | null;
  /** The doors at which it was tried, each once. */
  doors: string[];
}

/** What was refused of a key since it was suspended at `since`, since it is suspended. */
export async function knocksOf(
  db: Connection,
  { org_id, key_id, since }: { org_id: string; key_id: string; since: string },
): Promise<Knocks> {
  const rows = (await refusalsBehind(db, org_id, { name: "key_id", value: key_id }, "~", MOST))
    .filter(({ reason, at }) => reason === "suspended" && at >= since);
  return {
    count: rows.length,
    last_at: rows[0]?.at ?? null,
    doors: [...new Set(rows.map(({ door }) => door))].filter((door) => door !== "").sort(),
  };
}
