import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

const findSessionSql = statement<{ hash: string }>()((db, p) =>
  db.selectFrom("sessions as s")
    .innerJoin("access_tokens as t", (join) =>
      join.onRef("t.org_id", "=", "s.org_id").onRef("t.id", "=", "s.token_id"))
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .select(["s.org_id", "s.id", "s.token_id", "s.user_id", "s.expires_at as session_expires_at"])
    .select(["s.created_at", "s.last_used_at"])
    .select(["t.expires_at", "t.revoked_at", "t.scope", "t.addresses", "t.hash", "t.checksum"])
    .select(["u.permissions", "u.suspended_at", "u.deactivated_at"])
    .select("u.checksum as person_checksum")
    .where("s.hash", "=", p.hash).where("u.deactivated_at", "is", null)
);

/** A session with the access token that it stands for, by the hash of its secret, which names its organisation. */
export function findSessionByHash(db: Connection, hash: string) {
  return db.row(findSessionSql, { hash });
}

type SessionRow = Record<
  "org_id" | "id" | "hash" | "token_id" | "user_id" | "created_at" | "expires_at" | "browser",
  string
>;

const insertSessionSql = statement<SessionRow>()((db, p) =>
  db.insertInto("sessions").values({
    org_id: p.org_id,
    id: p.id,
    hash: p.hash,
    token_id: p.token_id,
    user_id: p.user_id,
    created_at: p.created_at,
    expires_at: p.expires_at,
    browser: p.browser,
  })
);

/** Adds a session; those that are over go by retention. */
export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.change(insertSessionSql, row);
}

const removeSessionSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.deleteFrom("sessions").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Ends a session. False where it had ended already. */
export async function removeSession(tx: Tx, org_id: string, id: string): Promise<boolean> {
  return await tx.change(removeSessionSql, { org_id, id }) === 1;
}

const sessionsOfSql = statement<{ org_id: string; user_id: string }>()((db, p) =>
  db.selectFrom("sessions")
    .select(["id", "hash", "token_id", "created_at", "last_used_at", "expires_at", "browser"])
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
    .orderBy("created_at", "desc").orderBy("id", "desc")
);

/** A person's sessions, newest first, those among them that are over and not yet removed. */
export function sessionsOf(db: Connection, org_id: string, user_id: string) {
  return db.rows(sessionsOfSql, { org_id, user_id });
}

const replacedSql = statement<{ hash: string }>()((db, p) =>
  db.selectFrom("sessions").select(["org_id", "id", "user_id", "token_id"])
    .where("hash", "=", p.hash)
);

/** The session of this hash, open or over, whoever's it is; or undefined. */
export function findStoredSession(db: Connection, hash: string) {
  return db.row(replacedSql, { hash });
}

const lockPersonSql = statement<{ org_id: string; id: string }>()((db, p, dialect) => {
  const query = db.selectFrom("users").select("id")
    .where("org_id", "=", p.org_id).where("id", "=", p.id);
  // SQLite has one writer at a time and no such words.
  return dialect === "postgres" ? query.forNoKeyUpdate() : query;
});

/** Holds a person until the transaction ends: of their sessions no other begins meanwhile. */
export async function lockSessionsOf(tx: Tx, org_id: string, user_id: string): Promise<void> {
  await tx.row(lockPersonSql, { org_id, id: user_id });
}

type UseRow = Record<"org_id" | "id" | "last_used_at", string>;

const noteUseSql = statement<UseRow>()((db, p) =>
  db.updateTable("sessions").set({ last_used_at: p.last_used_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", p.last_used_at)]))
);

/** Keeps when a session was used; a later use that is there already stays. */
export async function noteUse(tx: Tx, row: UseRow): Promise<void> {
  await tx.change(noteUseSql, row);
}

type CodeRow = Record<"org_id" | "hash" | "token_id" | "created_at" | "expires_at", string>;

const insertCodeSql = statement<CodeRow>()((db, p) =>
  db.insertInto("sign_in_codes").values({
    org_id: p.org_id,
    hash: p.hash,
    token_id: p.token_id,
    created_at: p.created_at,
    expires_at: p.expires_at,
  })
);

/** Adds a code that signs in once; those that are over go by retention. */
export async function insertCode(tx: Tx, row: CodeRow): Promise<void> {
  await tx.change(insertCodeSql, row);
}

const findCodeSql = statement<{ hash: string; now: string }>()((db, p) =>
  db.selectFrom("sign_in_codes as c")
    .innerJoin(
      "access_tokens as t",
      (join) => join.onRef("t.org_id", "=", "c.org_id").onRef("t.id", "=", "c.token_id"),
    )
    .select(["t.hash"]).where("c.hash", "=", p.hash).where("c.expires_at", ">", p.now)
);

/** The hash of the access token that a code signs in with; undefined where it signs nobody in (any more). */
export async function findTokenOfCode(
  db: Connection,
  hash: string,
  now: string,
): Promise<string | undefined> {
  return (await db.row(findCodeSql, { hash, now }))?.hash;
}

const burnCodeSql = statement<{ hash: string; now: string }>()((db, p) =>
  db.deleteFrom("sign_in_codes").where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** Takes a code away. False for whoever comes second, or too late. */
export async function burnCode(tx: Tx, hash: string, now: string): Promise<boolean> {
  return await tx.change(burnCodeSql, { hash, now }) === 1;
}
