import { presentAction } from "../../src/contract/former-names.ts";
import { type Statement, statement } from "../../src/storage/statement.ts";
import type { TestDesk } from "./desk.ts";

const credentialsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("credentials")
    .select(["key_id", "kind", "secret_hash", "state", "developer_id", "request_id", "plans"])
    .where("org_id", "=", p.org_id).orderBy("issued_at").orderBy("key_id")
);

/** The credentials that a desk keeps, by its own organisation. */
export function storedCredentials(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(credentialsSql, { org_id: desk.org_id });
}

const developersSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select(["id", "email_key"]).where("org_id", "=", p.org_id)
    .orderBy("id")
);

/** The ids of the developers that a desk has registered. */
export async function registeredDevelopers(desk: TestDesk): Promise<string[]> {
  const rows = await desk.app.ctx.storage.reader.rows(developersSql, { org_id: desk.org_id });
  return rows.map((row) => row.id);
}

const auditSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["action", "object_id", "detail", "personal"])
    .where("org_id", "=", p.org_id).where("object", "=", "key_request")
    .orderBy("at").orderBy("action")
);

/** What a desk's audit log tells of key requests. */
export function auditRows(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(auditSql, { org_id: desk.org_id });
}

const outboxSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select(["topic", "object_id"])
    .where("org_id", "=", p.org_id).where("topic", "like", "key_request.%")
    .orderBy("at").orderBy("id")
);

/** The messages about key requests that wait for those who want to hear of them. */
export function outbox(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(outboxSql, { org_id: desk.org_id });
}

const accessTables: Statement<Record<never, never>, unknown>[] = [
  statement<Record<never, never>>()((db) =>
    db.selectFrom("access_tokens").select(["id", "name", "hash", "scope", "replaced_by"])
  ),
  statement<Record<never, never>>()((db) =>
    db.selectFrom("sessions").select(["id", "hash", "token_id", "user_id", "expires_at"])
  ),
  statement<Record<never, never>>()((db) =>
    db.selectFrom("sign_in_codes").select(["hash", "token_id", "expires_at"])
  ),
  statement<Record<never, never>>()((db) =>
    db.selectFrom("audit_events").select(["actor", "action", "object_id", "detail", "personal"])
  ),
  statement<Record<never, never>>()((db) =>
    db.selectFrom("outbox_events").select(["topic", "object_id"])
  ),
  statement<Record<never, never>>()((db) =>
    db.selectFrom("idempotent_answers").select(["scope", "fingerprint", "answer"])
  ),
];

/** Everything that a desk keeps of credentials, sessions and what happened to them, as one text. */
export async function storedText(desk: TestDesk): Promise<string> {
  const { reader } = desk.app.ctx.storage;
  const tables = [];
  for (const table of accessTables) tables.push(await reader.rows(table, {}));
  return JSON.stringify(tables);
}

/** What the audit log tells of calls that changed nothing. */
const NO_CHANGES = [
  "call.refused",
  "secret.read",
  "list.streamed",
  "sign_in.refused",
  "developer.sign_in_refused",
  "access_token.refused",
];
const changesSql = statement<Record<never, never>>()<{ id: string; what: string }>((db) =>
  db.selectFrom("audit_events").select(["id", "action as what"])
    .where("action", "not in", NO_CHANGES).where("object", "<>", "export")
    .unionAll(db.selectFrom("outbox_events").select(["id", "topic as what"]))
    .orderBy("id").orderBy("what")
);

/** Every change that left an audit or an outbox row, in all organisations of a desk. */
export async function changesIn(desk: TestDesk) {
  const rows = await desk.app.ctx.storage.reader.rows(changesSql, {});
  return rows.map(({ id, what }) => ({ id, what: presentAction(what) }));
}
