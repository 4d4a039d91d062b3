import { sql } from "kysely";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import { statement } from "../storage/statement.ts";
import type { Connection, Tx } from "../storage/storage.ts";
import { checkedColumns, type CheckedRow, type CheckedTable, isWhole } from "./checked-rows.ts";

/**
 * Whether rows without a right checksum open nothing. A new store demands checksums from its first row on. One that
 * earlier code wrote to does not, until no earlier code can open it and every row has been given its checksum. That it
 * does not is said by a row with a checksum of its own: whoever can change the file can't take the demand back.
 */

type Nothing = Record<never, never>;

const findSql = statement<Nothing>()((db) =>
  db.selectFrom("checksum_demand").select(["demanded", "checksum"])
    .where("id", "=", sql.lit(1))
);

/** Whether checksums are demanded. */
export async function demandsChecksums(db: Connection, sealer: Sealer): Promise<boolean> {
  const row = await db.row(findSql, {});
  if (!row || Number(row.demanded) !== 0 || row.checksum === null) return true;
  return !sealer.isChecksumOf(NOT_YET, row.checksum);
}

/** Whether a row of the store must be refused: its checksum is not the one that it should have, and is demanded. */
export async function isDamaged<T extends CheckedTable>(
  db: Connection,
  sealer: Sealer,
  table: T,
  row: CheckedRow<T>,
): Promise<boolean> {
  return !isWhole(sealer, table, row) && await demandsChecksums(db, sealer);
}

/** What the operator should know while none are demanded, a sentence. */
export async function demandWarnings(db: Connection, sealer: Sealer): Promise<string[]> {
  return await demandsChecksums(db, sealer) ? [] : [
    "Checksums are not demanded yet: what is changed in the database by something else than Keydesk is not refused. " +
    "Once no node and no command of an earlier release runs any more: keydesk check --demand.",
  ];
}

/** What the checksum of the row that demands none is made of. */
const NOT_YET = JSON.stringify(["checksum_demand/1", "not yet"]);

const setSql = statement<{ demanded: number; checksum: string | null }>()((db, p) =>
  db.updateTable("checksum_demand").set({ demanded: p.demanded, checksum: p.checksum })
    .where("id", "=", sql.lit(1))
);

/** From now on rows without a right checksum open nothing. There is no way back. */
export async function demandChecksums(tx: Tx): Promise<void> {
  await tx.change(setSql, { demanded: 1, checksum: null });
}

/**
 * Says, at the first start after the upgrade that brought checksums, that none are demanded yet. Only where no row has
 * one: else somebody has put the store back to how that upgrade left it.
 */
export async function waiveChecksums(tx: Tx): Promise<void> {
  const row = await tx.row(findSql, {});
  if (!row || Number(row.demanded) !== 0 || row.checksum !== null) return;
  for (const table of checkedTables) if (await tx.row(anySql[table], {})) return;
  await tx.change(setSql, { demanded: 0, checksum: tx.sealer.checksum(NOT_YET) });
}

/** Says so again with the newest sealing key, where it is said. */
export async function renewWaiver(tx: Tx): Promise<void> {
  if (await demandsChecksums(tx, tx.sealer)) return;
  await tx.change(setSql, { demanded: 0, checksum: tx.sealer.checksum(NOT_YET) });
}

const checkedTables = ["access_tokens", "credentials", "users"] as const satisfies readonly (
  keyof typeof checkedColumns
)[];

const anySql = {
  access_tokens: anyOf("access_tokens"),
  credentials: anyOf("credentials"),
  users: anyOf("users"),
};

function anyOf(table: CheckedTable) {
  return statement<Nothing>()((db) =>
    db.selectFrom(table).select("org_id").where("checksum", "is not", null).limit(sql.lit(1))
  );
}
