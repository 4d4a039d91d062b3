import type { Sealer } from "../kernel/sealing/sealer.ts";
import {
  type CheckForm,
  demandingValue,
  isDemandingForm,
  type KeyCheck,
} from "../kernel/sealing/sealing-keys.ts";
import { statement } from "../storage/statement.ts";
import { held } from "../storage/statement-functions.ts";
import type { Connection, Tx } from "../storage/storage.ts";
import { type CheckedRow, type CheckedTable, isWhole } from "./checked-rows.ts";

/**
 * Whether rows without a right checksum open nothing. A new store demands checksums from its first
 * row on. One that earlier code wrote to does not, until no earlier code can open it and every row
 * has been given its checksum. The check values of the sealing keys say so, which no one makes
 * without those keys: in their plain form, which earlier code writes, or in the one that demands.
 * This code writes the plain form only beside a plain one that is right.
 */

type Nothing = Record<never, never>;

const findSql = statement<Nothing>()((db) =>
  db.selectFrom("sealing_keys").select(["version", "check_value"]).orderBy("version")
);

const lockSql = statement<Nothing>()(
  held((db, _) => db.selectFrom("sealing_keys").select("version").orderBy("version")),
);

/** The check values that the store keeps, by version. */
export async function keyChecks(db: Connection): Promise<KeyCheck[]> {
  const rows = await db.rows(findSql, {});
  return rows.map((row) => ({ ...row, version: Number(row.version) }));
}

/** The key checks, locked until `tx` ends: adding one or changing their form waits. */
export async function lockKeyChecks(tx: Tx): Promise<KeyCheck[]> {
  await tx.rows(lockSql, {});
  // Again: one may have been added while this waited.
  return await keyChecks(tx);
}

/** Whether checksums are demanded. */
export async function demandsChecksums(db: Connection, sealer: Sealer): Promise<boolean> {
  return isDemanding(sealer, await keyChecks(db));
}

/**
 * Whether a store with these check values demands checksums. A check value that no available key
 * can read waives nothing.
 */
export function isDemanding(sealer: Sealer, checks: readonly KeyCheck[]): boolean {
  const forms = checks.map((check) => sealer.formOf(check)).filter((form) => form !== "absent");
  return forms.length === 0 || forms.some((form) => form !== "plain");
}

/**
 * Whether a row of the store must be refused: its checksum is not the one that it should have, and
 * is demanded.
 */
export async function isDamaged<T extends CheckedTable>(
  db: Connection,
  sealer: Sealer,
  table: T,
  row: CheckedRow<T>,
): Promise<boolean> {
  return !isWhole(sealer, table, row) && await demandsChecksums(db, sealer);
}

/** The warnings while no checksums are demanded, a sentence each. */
export async function demandWarnings(db: Connection, sealer: Sealer): Promise<string[]> {
  return await demandsChecksums(db, sealer) ? [] : [
    "Checksums are not demanded yet: what is changed in the database by something else than Keydesk is not refused. " +
    "Once no node and no command of an earlier release runs any more: keydesk check --demand.",
  ];
}

const setSql = statement<{ version: number; check_value: string }>()((db, p) =>
  db.updateTable("sealing_keys").set({ check_value: p.check_value })
    .where("version", "=", p.version)
);

const insertSql = statement<{ version: number; check_value: string }>()((db, p) =>
  db.insertInto("sealing_keys").values({ version: p.version, check_value: p.check_value })
    .onConflict((conflict) => conflict.doNothing())
);

/** Remembers a key at hand, unless one of its version is remembered. */
export async function addKeyCheck(tx: Tx, version: number, form: CheckForm): Promise<void> {
  await tx.change(insertSql, { version, check_value: tx.sealer.checkValue(version, form) });
}

/** From now on rows without a right checksum open nothing. There is no way back. */
export async function demandChecksums(tx: Tx): Promise<void> {
  for (const { version, check_value } of await lockKeyChecks(tx)) {
    if (isDemandingForm(check_value)) continue;
    await tx.change(setSql, { version, check_value: demandingValue(check_value) });
  }
  for (const version of tx.sealer.versions) await addKeyCheck(tx, version, "demanding");
}
