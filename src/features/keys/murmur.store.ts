import { sql } from "kysely";
import { checksumAfter } from "../../changes/checked-rows.ts";
import { renameProvisioned } from "../../changes/provisioning.store.ts";
import { statement } from "../../storage/statement.ts";
import { exists, value } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import type { LockedKeyRow } from "./key-life.store.ts";
import { listLabels, unlistLabels } from "./key-labels.store.ts";
import { listPlans, unlistPlans } from "./key-plans.store.ts";

/**
 * Whether the organisation has imported keys that are still known by their murmur hash alone; only
 * then is a key that its SHA-256 does not find worth a second look. One step in an index that is
 * empty in most stores.
 */
export const hasMurmurKeys = exists((db, p: { org_id: string }) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
    // The words of the partial index; of its rows those with conditions have no such time.
    .where("algorithm", "<>", sql.lit("sha256")).where("use_before", "is not", null)
    .limit(sql.lit(1))
);

/** The key id of what was once imported under this murmur hash, or undefined. */
export const findImportedAs = value((db, p: { org_id: string; imported_as: string }) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
    .where("imported_as", "=", p.imported_as).limit(sql.lit(1))
);

const rehashSql = statement<
  { org_id: string; key_id: string; to: string; weak: string | null; checksum: string | null }
>()((db, p) =>
  db.updateTable("credentials")
    .set({
      key_id: p.to,
      imported_as: p.key_id,
      // Its quotas stay where they are counted, for keys that took its place too.
      quota_key: sql`coalesce(quota_key, ${p.key_id})`,
      algorithm: sql.lit("sha256"),
      use_before: null,
      wrapped_by: null,
      weak: p.weak,
      checksum: p.checksum,
    })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where((eb) =>
      eb.or([eb("algorithm", "<>", sql.lit("sha256")), eb("wrapped_by", "is not", null)])
    )
);

const moveUseSql = statement<{ org_id: string; key_id: string; to: string }>()((db, p) =>
  db.updateTable("credential_uses").set({ key_id: p.to })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

const moveElsewhereSql = statement<{ org_id: string; key_id: string; to: string }>()((db, p) =>
  db.updateTable("keys_elsewhere").set({ key_id: p.to })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/**
 * Gives a key that is known by a hash of another kind, or of another text, the key id `to`, which
 * no one has; what is used of its quotas goes along. A compare-and-set: false when it has been done
 * already.
 */
export async function rehashKey(
  tx: Tx,
  before: LockedKeyRow,
  { key_id: to, weak }: { key_id: string; weak: "short" | null },
): Promise<boolean> {
  const { org_id, key_id } = before;
  const after = { key_id: to, algorithm: "sha256", use_before: null } as const;
  const checksum = checksumAfter(tx.sealer, "credentials", before.stored, after);
  if (await tx.change(rehashSql, { org_id, key_id, to, weak, checksum }) !== 1) return false;
  await tx.change(moveUseSql, { org_id, key_id, to });
  await tx.send(moveElsewhereSql, { org_id, key_id, to });
  await renameProvisioned(tx, { org_id, key_id, to });
  await unlistPlans(tx, before, before.plans);
  await listPlans(tx, { ...before, key_id: to }, before.plans);
  await unlistLabels(tx, before, before);
  await listLabels(tx, { ...before, key_id: to }, before);
  return true;
}
