import { waiveChecksums } from "../../changes/checksum-demand.store.ts";
import { statement } from "../../storage/statement.ts";
import { type Connection, defineTransaction } from "../../storage/storage.ts";

const insertSql = statement<{ version: number; check_value: string }>()((db, p) =>
  db.insertInto("sealing_keys").values({ version: p.version, check_value: p.check_value })
    .onConflict((conflict) => conflict.doNothing())
);

const findSql = statement<{ version: number }>()((db, p) =>
  db.selectFrom("sealing_keys").select("check_value").where("version", "=", p.version)
);

/**
 * Remembers the check value of each key version, and gives the versions whose key is another one than at an
 * earlier start: with those, nothing that was sealed could be opened.
 */
export const checkSealingKeys = defineTransaction(
  "sealing.check-keys",
  async (tx, input: { checks: readonly { version: number; check_value: string }[] }) => {
    const wrong: number[] = [];
    for (const { version, check_value } of input.checks) {
      await tx.change(insertSql, { version, check_value });
      const stored = await tx.row(findSql, { version });
      if (stored?.check_value !== check_value) wrong.push(version);
    }
    if (wrong.length === 0) await waiveChecksums(tx);
    return { wrong };
  },
);

/** The versions whose key is another one than the store was sealed with; remembers nothing. */
export async function wrongSealingKeys(
  db: Connection,
  checks: readonly { version: number; check_value: string }[],
): Promise<number[]> {
  const wrong: number[] = [];
  for (const { version, check_value } of checks) {
    const stored = await db.row(findSql, { version });
    if (stored && stored.check_value !== check_value) wrong.push(version);
  }
  return wrong;
}
