import { sql } from "kysely";
import { statement } from "../storage/statement.ts";
import type { Connection, Tx } from "../storage/storage.ts";
import type { CredentialKind } from "./credential.ts";

/** A credential to store: hashes only. `plans` is a JSON array of plan ids. */
export interface CredentialRow {
  org_id: string;
  key_id: string;
  kind: CredentialKind;
  secret_hash: string | null;
  state: "active";
  developer_id: string;
  request_id: string;
  plans: string;
  mask: string;
  attempt_id: string;
  issued_at: string;
  issued_by: string;
}

const insertSql = statement<{ [K in keyof CredentialRow]: CredentialRow[K] }>()((db, p) =>
  db.insertInto("credentials").values({
    org_id: p.org_id,
    key_id: p.key_id,
    kind: p.kind,
    secret_hash: p.secret_hash,
    state: p.state,
    developer_id: p.developer_id,
    request_id: p.request_id,
    plans: p.plans,
    mask: p.mask,
    attempt_id: p.attempt_id,
    issued_at: p.issued_at,
    issued_by: p.issued_by,
    algorithm: sql.lit("sha256"),
  })
);

/** Stores a minted credential. */
export async function insertCredential(tx: Tx, row: CredentialRow): Promise<void> {
  await tx.change(insertSql, { ...row });
}

const findActiveSql = statement<{ org_id: string; key_id: string; developer_id: string }>()(
  (db, p, dialect) => {
    const query = db.selectFrom("credentials").select(["kind", "plans"])
      .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
      .where("developer_id", "=", p.developer_id).where("state", "=", "active");
    return dialect === "postgres" ? query.forUpdate() : query;
  },
);

/** Kind and plans of an active credential of this developer, held until the transaction ends; or undefined. */
export async function lockActiveCredential(
  tx: Tx,
  org_id: string,
  key_id: string,
  developer_id: string,
): Promise<{ kind: CredentialKind; plans: string[] } | undefined> {
  const row = await tx.row(findActiveSql, { org_id, key_id, developer_id });
  return row && { kind: row.kind, plans: JSON.parse(row.plans) };
}

const existsSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Whether the organisation has a credential with this key id, in any state. */
export async function credentialExists(
  db: Connection,
  org_id: string,
  key_id: string,
): Promise<boolean> {
  return await db.row(existsSql, { org_id, key_id }) !== undefined;
}

const setPlansSql = statement<{ org_id: string; key_id: string; plans: string }>()((db, p) =>
  db.updateTable("credentials").set({ plans: p.plans })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Changes the plans of a credential. */
export async function setCredentialPlans(
  tx: Tx,
  org_id: string,
  key_id: string,
  plans: readonly string[],
): Promise<void> {
  await tx.change(setPlansSql, { org_id, key_id, plans: JSON.stringify(plans) });
}

const maskSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.selectFrom("credentials").select("mask")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** What of a credential may be shown in lists, or undefined. */
export async function findMask(
  db: Connection,
  org_id: string,
  key_id: string,
): Promise<string | undefined> {
  return (await db.row(maskSql, { org_id, key_id }))?.mask;
}

const lifeSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.selectFrom("credentials").select(["state", "expires_at", "plans"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Whether and until when a credential opens anything, and what; or undefined. */
export function findKeyLife(db: Connection, org_id: string, key_id: string) {
  return db.row(lifeSql, { org_id, key_id });
}
