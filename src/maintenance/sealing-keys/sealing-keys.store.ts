import { keyChecks } from "../../changes/checksum-demand.store.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";

/** The versions whose key is another one than the store was sealed with; remembers nothing. */
export async function wrongSealingKeys(db: Connection, sealer: Sealer): Promise<number[]> {
  const checks = await keyChecks(db);
  return checks.filter((check) => sealer.formOf(check) === "wrong").map(({ version }) => version);
}
