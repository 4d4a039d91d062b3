import { sql } from "kysely";
import { checkedColumns, checksumAfter, checksumOf } from "../../changes/checked-rows.ts";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import {
  all,
  atMost,
  changed,
  exists,
  lockAll,
  lockOne,
  one,
  value,
} from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";

/** Whose an access token is, in force or not; by its hash, which names its organisation. */
export const findTokenOwner = one((db, p: { hash: string }) =>
  db.selectFrom("access_tokens").select(["org_id", "user_id", "id as token_id"])
    .where("hash", "=", p.hash)
);

/** The one lookup without an organisation: by the hash of an access token, which names its organisation. */
export const findTokenByHash = one((db, p: { hash: string }) =>
  db.selectFrom("access_tokens as t")
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .select(["t.org_id", "t.id", "t.user_id", "t.hash", "t.expires_at", "t.revoked_at"])
    .select(["t.scope", "t.addresses", "t.checksum"])
    .select(["u.permissions", "u.suspended_at", "u.deactivated_at"])
    .select("u.checksum as person_checksum")
    .where("t.hash", "=", p.hash).where("u.deactivated_at", "is", null)
);

/** The organisation that the first start made, or undefined before it. */
export const findFirstOrganisation = one((db) =>
  db.selectFrom("organisations").select(["id", "name", "date_created"])
    .orderBy("date_created").orderBy("id").limit(sql.lit(1))
);

/** One organisation, or undefined. */
export const findOrganisation = one((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select(["id", "name"]).where("id", "=", p.org_id)
);

/** Up to `limit` organisations with smaller ids, that is older ones, newest first. For the operator, and counting alone. */
export const organisationsBelow = atMost((db, p: { below: string }, limit) =>
  db.selectFrom("organisations").select(["id", "name", "date_created"])
    .where("id", "<", p.below).orderBy("id", "desc").limit(limit)
);

/** Lets servers that start at the same moment look for the organisation one after the other, until `tx` ends. */
export const lockFirstStart = lockAll((db, _: Record<never, never>) =>
  // Every opener has written its row here before anybody gets this far.
  db.selectFrom("sealing_keys").select("version").orderBy("version")
);

/** Adds an organisation. False where its id is taken. */
export const insertOrganisation = changed((
  db,
  p: { id: string; name: string; date_created: string },
) =>
  db.insertInto("organisations").values({ id: p.id, name: p.name, date_created: p.date_created })
    .onConflict((conflict) => conflict.doNothing())
);

type UserRow = Record<"org_id" | "id" | "name" | "permissions" | "date_created", string> & {
  email?: string | null;
};

const insertUserSql = statement<UserRow & { email: string | null; checksum: string }>()((db, p) =>
  db.insertInto("users").values(rowOf("users", p, "deactivated_at", "suspended_at"))
);

/** Adds a user; `permissions` are words separated by blanks. */
export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  const values = { ...row, deactivated_at: null, suspended_at: null };
  const checksum = checksumOf(tx.sealer, "users", values);
  await tx.change(insertUserSql, { email: null, ...row, checksum });
}

type TokenRow =
  & Record<"org_id" | "id" | "user_id" | "name" | "hash" | "date_created", string>
  & {
    expires_at: string | null;
    scope?: string | null;
    issued_by?: string;
    addresses?: string | null;
  };

type FullTokenRow = TokenRow & {
  scope: string | null;
  issued_by: string;
  addresses: string | null;
  checksum: string;
};

const insertTokenSql = statement<FullTokenRow>()((
  db,
  p,
) =>
  db.insertInto("access_tokens").values({
    ...rowOf("access_tokens", p, "revoked_at", "replaced_by"),
    revoked_at: null,
  }).onConflict((conflict) => conflict.column("hash").doNothing())
);

/** Adds an access token by its hash. False when this very access token exists already. */
export async function insertToken(tx: Tx, row: TokenRow): Promise<boolean> {
  const full = { scope: null, issued_by: "", addresses: null, ...row };
  const values = { ...full, revoked_at: null };
  const checksum = checksumOf(tx.sealer, "access_tokens", values);
  return await tx.change(insertTokenSql, { ...full, checksum }) === 1;
}

/** Every access token of the organisation, oldest first. */
export const listTokens = all((db, p: { org_id: string }) =>
  db.selectFrom("access_tokens as t")
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .leftJoin("access_token_uses as l", (join) =>
      join.onRef("l.org_id", "=", "t.org_id").onRef("l.token_id", "=", "t.id"))
    .leftJoin("leaks as k", (join) =>
      join.onRef("k.org_id", "=", "t.org_id").on("k.object", "=", sql.lit("access_token"))
        .onRef("k.object_id", "=", "t.id"))
    .select(["t.id", "t.user_id", "t.name", "u.permissions", "t.scope", "t.addresses"])
    .select(["t.date_created", "t.expires_at", "t.revoked_at", "u.suspended_at", "l.last_used_at"])
    .select("k.reported_at as leaked_at")
    .where("t.org_id", "=", p.org_id).orderBy("t.date_created").orderBy("t.id")
);

/** What decides of an access token, held until the transaction ends; or undefined. */
export const lockToken = lockOne((db, p: { org_id: string; id: string }) =>
  db.selectFrom("access_tokens").select(checkedColumns.access_tokens)
    .select("checksum").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

const revokeTokenSql = statement<
  { org_id: string; id: string; at: string; checksum: string | null }
>()((db, p) =>
  db.updateTable("access_tokens").set({ revoked_at: p.at, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("revoked_at", "is", null)
);

/** Revokes an access token. False where there is no such one in force. */
export async function revokeToken(
  tx: Tx,
  org_id: string,
  id: string,
  at: string,
): Promise<boolean> {
  const before = await lockToken(tx, { org_id, id });
  if (!before) return false;
  const checksum = checksumAfter(tx.sealer, "access_tokens", before, { revoked_at: at });
  return await tx.change(revokeTokenSql, { org_id, id, at, checksum }) === 1;
}

/** Whether the organisation has or had an access token of this name and hash, in force or not. */
export const hadTokenNamed = exists((db, p: { org_id: string; name: string; hash: string }) =>
  db.selectFrom("access_tokens").select("id")
    .where("hash", "=", p.hash).where("org_id", "=", p.org_id).where("name", "=", p.name)
);

/** What a user is called, or undefined. */
export const findUserName = value((db, p: { org_id: string; id: string }) =>
  db.selectFrom("users").select("name").where("org_id", "=", p.org_id).where("id", "=", p.id)
);
