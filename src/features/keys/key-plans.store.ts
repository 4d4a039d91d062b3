import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";
import type { StoredKeyState } from "./key-kinds.ts";

/** The position of a key in the lists by plan: newest first within its state. */
interface PlannedKey {
  org_id: string;
  key_id: string;
  state: StoredKeyState;
  issued_at: string;
}

type Row = { [K in keyof PlannedKey]: PlannedKey[K] } & { plan_id: string };

const insertSql = statement<Row>()((db, p) =>
  db.insertInto("credential_plans").values(rowOf("credential_plans", p))
);

const deleteSql = statement<Row>()((db, p) =>
  db.deleteFrom("credential_plans").where("org_id", "=", p.org_id)
    .where("plan_id", "=", p.plan_id).where("state", "=", p.state)
    .where("issued_at", "=", p.issued_at).where("key_id", "=", p.key_id)
);

/** Puts a key into the lists of these plans, in which it does not stand yet. */
export async function listPlans(
  tx: Tx,
  { org_id, key_id, state, issued_at }: PlannedKey,
  plans: readonly string[],
): Promise<void> {
  for (const plan_id of plans) {
    await tx.send(insertSql, { org_id, plan_id, state, issued_at, key_id });
  }
}

/** Takes a key, as it was listed, out of the lists of these plans. */
export async function unlistPlans(
  tx: Tx,
  { org_id, key_id, state, issued_at }: PlannedKey,
  plans: readonly string[],
): Promise<void> {
  for (const plan_id of plans) {
    await tx.send(deleteSql, { org_id, plan_id, state, issued_at, key_id });
  }
}
