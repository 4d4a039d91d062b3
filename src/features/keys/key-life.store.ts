import { sql } from "kysely";
import { checkedColumns, checksumAfter } from "../../changes/checked-rows.ts";
import { pick } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { held, one, value, values } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { listPlans, unlistPlans } from "./key-plans.store.ts";
import type { StoredKeyState } from "./key-kinds.ts";
import { LABELS } from "./key-labels.ts";
import { forgetOwnSuspension } from "./own-suspensions.store.ts";

type Place = { org_id: string; key_id: string };

/** The developer of a key, not held: they are locked before it. Undefined: there is none. */
export const findOwner = value(finds("credentials", { columns: ["developer_id"] }));

/** When the state of a key became what it is; null: at its issue. */
export const findStateChange = value(finds("credentials", { columns: ["state_changed_at"] }));

const lockSql = statement<Place>()(held((db, p) =>
  db.selectFrom("credentials")
    .select(checkedColumns.credentials).select(["request_id", "mask", "checksum", "state_reason"])
    .select(LABELS).select(["wrapped_by", "end_chosen_at", "quota_key"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
));

/** A key as a change sees it, held until the transaction ends; or undefined. */
export async function lockKey(tx: Tx, org_id: string, key_id: string) {
  const row = await tx.row(lockSql, { org_id, key_id });
  // as: a key's plans are stored as an array of ids.
  return row && { ...row, plans: JSON.parse(row.plans) as string[], stored: row };
}

export type LockedKeyRow = NonNullable<Awaited<ReturnType<typeof lockKey>>>;

/** The key ids of a request's keys in any state, the oldest of each state first. */
export const findKeysOfRequest = values(
  // By the index of the developer, who has few: one of its own would cost every approval.
  finds("credentials", {
    columns: ["key_id"],
    by: ["org_id", "developer_id", "request_id"],
    order: ["state", "issued_at", "key_id"],
  }),
);

/** As findKeysOfRequest, without those that are revoked. */
export const findLiveKeysOfRequest = values((
  db,
  p: { org_id: string; developer_id: string; request_id: string },
) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("request_id", "=", p.request_id)
    .where("state", "<>", sql.lit("revoked"))
    .orderBy("state").orderBy("issued_at").orderBy("key_id")
);

const markSql = statement<
  & Place
  & Record<"at" | "reason", string>
  & { from: StoredKeyState; state: StoredKeyState }
  & Record<"replaced_by" | "checksum", string | null>
>()((db, p) =>
  db.updateTable("credentials")
    .set({
      ...pick(p, "state", "replaced_by", "checksum"),
      state_changed_at: p.at,
      state_reason: p.reason,
    })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id).where("state", "=", p.from)
);

/**
 * Moves a key from the state in which it was read: a compare-and-set. False when it is in
 * another.
 */
export async function markState(
  tx: Tx,
  before: LockedKeyRow,
  change: { state: StoredKeyState; at: string; reason: string; replaced_by?: string },
): Promise<boolean> {
  const { org_id, key_id, state: from } = before;
  const { at, reason, ...rest } = change;
  const after = { replaced_by: before.replaced_by, ...rest };
  const checksum = checksumAfter(tx.sealer, "credentials", before.stored, after);
  const params = { org_id, key_id, from, at, reason, ...after, checksum };
  if (await tx.change(markSql, params) !== 1) return false;
  // Before, too: older code may have left a row behind.
  const isConcerned = [from, change.state].includes("suspended");
  if (isConcerned) await forgetOwnSuspension(tx, { org_id, key_id });
  await unlistPlans(tx, before, before.plans);
  await listPlans(tx, { ...before, state: change.state }, before.plans);
  return true;
}

const markReplacedSql = statement<
  Place & { by: string; at: string; expires_at: string; checksum: string | null }
>()((db, p) =>
  db.updateTable("credentials")
    .set({
      replaced_by: p.by,
      expires_at: p.expires_at,
      state_changed_at: p.at,
      state_reason: sql.lit("rotated"),
      checksum: p.checksum,
    })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("state", "=", sql.lit("active")).where("replaced_by", "is", null)
);

/** Says once that an active key was rotated: a compare-and-set. False: it can't be. */
export async function markReplaced(
  tx: Tx,
  before: LockedKeyRow,
  change: { by: string; at: string; expires_at: string },
): Promise<boolean> {
  const { org_id, key_id, stored } = before;
  const after = { replaced_by: change.by, expires_at: change.expires_at };
  const checksum = checksumAfter(tx.sealer, "credentials", stored, after);
  return await tx.change(markReplacedSql, { org_id, key_id, ...change, checksum }) === 1;
}

const setExpirySql = statement<
  Place & Record<"at" | "expires_at" | "checksum", string | null>
>()((
  db,
  p,
) =>
  db.updateTable("credentials").set({
    expires_at: p.expires_at,
    end_chosen_at: p.at,
    checksum: p.checksum,
  })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("state", "<>", sql.lit("revoked"))
);

/** Changes when a key ends; `at`: when people chose it, or null. False for a revoked one. */
export async function setExpiry(
  tx: Tx,
  { org_id, key_id, stored }: LockedKeyRow,
  { expires_at, at }: { expires_at: string | null; at: string | null },
): Promise<boolean> {
  const checksum = checksumAfter(tx.sealer, "credentials", stored, { expires_at });
  return await tx.change(setExpirySql, { org_id, key_id, expires_at, at, checksum }) === 1;
}

const setConditionsSql = statement<Place & Record<"conditions" | "checksum", string | null>>()((
  db,
  p,
) =>
  db.updateTable("credentials").set({ conditions: p.conditions, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("state", "<>", sql.lit("revoked")).where("conditions", "is not", null)
);

/**
 * Changes what a key with conditions was granted on. False for a revoked one, and for one
 * without.
 */
export async function setConditions(
  tx: Tx,
  { org_id, key_id, stored }: LockedKeyRow,
  conditions: string | null,
): Promise<boolean> {
  const checksum = checksumAfter(tx.sealer, "credentials", stored, { conditions });
  return await tx.change(setConditionsSql, { org_id, key_id, conditions, checksum }) === 1;
}

const resetQuotaSql = statement<Place & { quota_from: string; checksum: string | null }>()((
  db,
  p,
) =>
  db.updateTable("credentials").set({ quota_from: p.quota_from, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("state", "<>", sql.lit("revoked"))
);

/** The developer's live keys whose quotas are counted together under this key id. */
export const keysOfQuota = values((
  db,
  p: { org_id: string; developer_id: string; quota_key: string },
) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("state", "<>", sql.lit("revoked"))
    .where((eb) => eb.or([eb("key_id", "=", p.quota_key), eb("quota_key", "=", p.quota_key)]))
    .orderBy("key_id")
);

/** Has a credential's quotas counted from a moment on. False for a revoked one. */
export async function setQuotaFrom(
  tx: Tx,
  { org_id, key_id, stored }: LockedKeyRow,
  quota_from: string,
): Promise<boolean> {
  const checksum = checksumAfter(tx.sealer, "credentials", stored, { quota_from });
  return await tx.change(resetQuotaSql, { org_id, key_id, quota_from, checksum }) === 1;
}

const findGranted = one(finds("key_requests", { columns: ["policy", "granted"] }));

/**
 * From which addresses alone people granted a key in steps; undefined: one person did, or they
 * named none. `id`: of its key request; "": it has none.
 */
export async function grantedInSteps(
  db: Connection,
  org_id: string,
  id: string,
): Promise<readonly string[] | undefined> {
  if (id === "") return undefined;
  const { policy = null, granted = null } = await findGranted(db, { org_id, id }) ?? {};
  if (policy === null || granted === null) return undefined;
  // as: decisions write the texts of exactly these, with more members.
  const { outcome } = JSON.parse(policy) as { outcome: string };
  const { addresses } = JSON.parse(granted) as { addresses: string[] | null };
  return outcome === "steps" ? addresses ?? undefined : undefined;
}
