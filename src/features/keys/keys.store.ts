import { sql } from "kysely";
import { checksumAfter, checksumOf } from "../../changes/checked-rows.ts";
import { pick, rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { exists, held, one, value } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { lockKey } from "./key-life.store.ts";
import { listPlans, unlistPlans } from "./key-plans.store.ts";
import type { KeyKind, StoredKeyState } from "./key-kinds.ts";
import { conditionsIn } from "./key-conditions.ts";
import { type LabelColumns, LABELS, unlabelled } from "./key-labels.ts";
import { listLabels } from "./key-labels.store.ts";
import type { StoredAlgorithm } from "./murmur.ts";

/** A key to store: hashes only. `plans` is a JSON array of plan ids, each once. */
export interface NewKeyRow {
  org_id: string;
  key_id: string;
  kind: KeyKind;
  secret_hash: string | null;
  state: StoredKeyState;
  developer_id: string;
  request_id: string;
  plans: string;
  mask: string;
  attempt_id: string;
  issued_at: string;
  issued_by: string;
  /** Absent: it does not expire. */
  expires_at?: string | null;
  /** Absent: key_id is the SHA-256. */
  algorithm?: StoredAlgorithm;
  use_before?: string | null;
  /** Of a state other than active. */
  state_reason?: string | null;
  state_changed_at?: string | null;
  /** As conditionsText gives them; absent: none. Then `algorithm` is CONDITIONAL. */
  conditions?: string | null;
  /** "short": its text has fewer than 20 characters. Absent: no one knows that it does. */
  weak?: "short" | null;
  /** When people said when it ends; absent: its plans say. */
  end_chosen_at?: string | null;
  /** From when on its quotas are counted, and under which key id; absent: its own. */
  quota_from?: string | null;
  quota_key?: string | null;
  /** Absent: no one has labelled it. */
  labels?: LabelColumns;
}

type WholeRow =
  & Required<Omit<NewKeyRow, "labels">>
  & LabelColumns
  & { review_at: string | null; checksum: string };

const insertSql = statement<{ [K in keyof WholeRow]: WholeRow[K] }>()((db, p) =>
  db.insertInto("credentials").values(written(p))
);

/** Stores a minted key, with what lists find it by. */
export async function insertKey(tx: Tx, row: NewKeyRow): Promise<void> {
  await tx.send(insertSql, whole(tx, row));
  await listPlans(tx, row, JSON.parse(row.plans));
  if (row.labels) await listLabels(tx, row, row.labels);
}

const insertAbsentSql = statement<{ [K in keyof WholeRow]: WholeRow[K] }>()((db, p) =>
  db.insertInto("credentials").values(written(p)).onConflict((conflict) => conflict.doNothing())
);

/** Inserts the key if the organisation has no such key id yet, else gives false. */
export async function insertAbsentKey(tx: Tx, row: NewKeyRow): Promise<boolean> {
  if (await tx.change(insertAbsentSql, whole(tx, row)) === 0) return false;
  await listPlans(tx, row, JSON.parse(row.plans));
  if (row.labels) await listLabels(tx, row, row.labels);
  return true;
}

function written(p: WholeRow) {
  return rowOf("credentials", p, "replaced_by", "imported_as", "wrapped_by");
}

function whole(tx: Tx, { labels = unlabelled, ...row }: NewKeyRow): WholeRow {
  const full = { ...ABSENT, ...row, ...pick(labels, ...LABELS) };
  const values = { ...full, replaced_by: null };
  const review_at = conditionsIn(full.conditions)?.review_at ?? null;
  return { ...full, review_at, checksum: checksumOf(tx.sealer, "credentials", values) };
}

const ABSENT = {
  weak: null,
  expires_at: null,
  algorithm: "sha256",
  use_before: null,
  state_reason: null,
  state_changed_at: null,
  conditions: null,
  end_chosen_at: null,
  quota_from: null,
  quota_key: null,
} as const;

const findActiveSql = statement<Record<"org_id" | "key_id" | "developer_id" | "now", string>>()(
  held((db, p) =>
    db.selectFrom("credentials").select(["kind", "plans"])
      .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
      .where("developer_id", "=", p.developer_id).where("state", "=", "active")
      .where("replaced_by", "is", null)
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", p.now)]))
  ),
);

/**
 * Kind and plans of an active key of this developer, held until the transaction ends; or
 * undefined. One that was rotated, or has expired by `now`, is none.
 */
export async function lockActiveKey(
  tx: Tx,
  org_id: string,
  key_id: string,
  developer_id: string,
  now: string,
): Promise<{ kind: KeyKind; plans: string[] } | undefined> {
  const row = await tx.row(findActiveSql, { org_id, key_id, developer_id, now });
  return row && { kind: row.kind, plans: JSON.parse(row.plans) };
}

/** Whether the organisation has a key with this key id, in any state. */
export const keyExists = exists(finds("credentials", { columns: ["key_id"] }));

const existingSql = statement<{ org_id: string; key_ids: string }>()((db, p, dialect) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id).where(
    "key_id",
    "in",
    dialect === "postgres"
      ? sql<string>`(select w.value from json_array_elements_text(${p.key_ids}::json) as w)`
      : sql<string>`(select w.value from json_each(${p.key_ids}) as w)`,
  )
);

/** Those of the key ids that the organisation has a key of, in any state; one query. */
export async function existingOf(
  db: Connection,
  org_id: string,
  key_ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.rows(existingSql, { org_id, key_ids: JSON.stringify(key_ids) });
  return new Set(rows.map((row) => row.key_id));
}

const setPlansSql = statement<
  { org_id: string; key_id: string; plans: string; checksum: string | null }
>()((db, p) =>
  db.updateTable("credentials").set({ plans: p.plans, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Changes the plans of a key, which the transaction holds from here on at the latest. */
export async function setPlansOfKey(
  tx: Tx,
  org_id: string,
  key_id: string,
  plans: readonly string[],
): Promise<void> {
  const before = await lockKey(tx, org_id, key_id);
  if (!before) return;
  const change = { plans: JSON.stringify(plans) };
  const checksum = checksumAfter(tx.sealer, "credentials", before.stored, change);
  await tx.change(setPlansSql, { org_id, key_id, ...change, checksum });
  await unlistPlans(tx, before, before.plans);
  await listPlans(tx, before, plans);
}

/** The mask of a key, its name, and its expiry; or undefined. */
export const findMask = one(finds("credentials", { columns: ["mask", "name", "expires_at"] }));

/** When a key was last used; undefined: never, as far as is known. */
export const findLastUse = value(finds("credential_uses", { columns: ["last_used_at"] }));

/**
 * Whether and until when a key opens anything, what, whose it is and what it is called; or
 * undefined.
 */
export const findKeyLife = one((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("credentials").select(["state", "expires_at", "plans", "kind", "developer_id"])
    .select(["name", "environment", "state_reason", "conditions"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);
