import { sql } from "kysely";
import { checkedColumns, checksumAfter, checksumOf } from "../../changes/checked-rows.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { rowOf } from "../../storage/rows.ts";
import {
  all,
  atMost,
  change,
  exists,
  lockOne,
  one,
  value,
} from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import { type QueryBuilder, statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { type EndingToken, SIGN_IN_HASHES, WARNED_MS } from "./access-token.ts";

/** The key of one row of an organisation. */
export type Place = { org_id: string; id: string };

/** The row with the checksum of its deciding columns. */
export type Checked<T> = T & { checksum: string | null };

/** The owner of an access token, in force or not; by its hash, which names its organisation. */
export const findTokenOwner = one((db, p: { hash: string }) =>
  db.selectFrom("access_tokens").select(["org_id", "user_id", "id as token_id"])
    .where("hash", "=", p.hash)
);

/** The one lookup without an organisation: an access token's hash names its organisation. */
export const findTokenByHash = one((db, p: { hash: string }) =>
  db.selectFrom("access_tokens as t")
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .select(["t.org_id", "t.id", "t.user_id", "t.hash", "t.expires_at", "t.revoked_at"])
    .select(["t.scope", "t.scope_role", "t.addresses", "t.certs_answer", "t.checksum"])
    .select(["u.permissions", "u.role", "u.covers", "u.suspended_at", "u.deactivated_at"])
    .select("u.checksum as person_checksum")
    .where("t.hash", "=", p.hash).where("u.deactivated_at", "is", null)
);

type TokenRow =
  & Record<"org_id" | "id" | "user_id" | "name" | "hash" | "date_created", string>
  & {
    expires_at: string | null;
    scope?: string | null;
    issued_by?: string;
    addresses?: string | null;
    certs_answer?: string | null;
    scope_role?: string | null;
  };

type FullTokenRow = TokenRow & {
  scope: string | null;
  issued_by: string;
  addresses: string | null;
  certs_answer: string | null;
  scope_role: string | null;
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
  const limits = { scope: null, scope_role: null, addresses: null, certs_answer: null };
  const full = { ...limits, issued_by: "", ...row };
  const values = { ...full, revoked_at: null };
  const checksum = checksumOf(tx.sealer, "access_tokens", values);
  return await tx.change(insertTokenSql, { ...full, checksum }) === 1;
}

/** Every access token of the organisation, oldest first. */
export const listTokens = all((db, p: { org_id: string }) =>
  selectTokens(db)
    .where("t.org_id", "=", p.org_id).where("t.hash", "not like", sql.lit(SIGN_IN_HASHES))
    .orderBy("t.date_created").orderBy("t.id")
);

/** The deciding columns of an access token, locked until the transaction ends; or undefined. */
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

const setAddressesSql = statement<Checked<Place & { addresses: string | null }>>()((db, p) =>
  db.updateTable("access_tokens").set({ addresses: p.addresses, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Sets from where an access token opens something; null: from everywhere. */
export async function setAddresses(
  tx: Tx,
  row: { org_id: string; id: string; addresses: string | null },
): Promise<void> {
  const before = await lockToken(tx, { org_id: row.org_id, id: row.id });
  if (!before) return;
  const { addresses } = row;
  const checksum = checksumAfter(tx.sealer, "access_tokens", before, { addresses });
  await tx.change(setAddressesSql, { ...row, checksum });
}

/** Columns of an AccessTokenRow; `t` are access tokens, `u` their people, `l` their last uses. */
const COLUMNS = [
  "t.id",
  "t.user_id",
  "t.name",
  "t.hash",
  "t.scope",
  "t.date_created",
  "t.expires_at",
  "t.revoked_at",
  "t.replaced_by",
  "t.issued_by",
  "t.addresses",
  "t.certs_answer",
  "t.scope_role",
  "u.permissions",
  "u.covers",
  "u.suspended_at",
  "u.name as person_name",
  "l.last_used_at",
  "l.address as last_used_from",
  "k.reported_at as leaked_at",
  "k.reported_by as leaked_by",
  "k.url as leaked_url",
] as const;

/** One access token, in force or not. */
export const findAccessToken = one((db, p: Place) =>
  selectTokens(db).where("t.org_id", "=", p.org_id).where("t.id", "=", p.id)
);

/** Up to `limit` of a person's older access tokens, newest first, that can be presented. */
export const accessTokensBelow = atMost((
  db,
  p: { org_id: string; user_id: string; below: string },
  limit,
) =>
  selectTokens(db).where("t.org_id", "=", p.org_id).where("t.user_id", "=", p.user_id)
    .where("t.hash", "not like", sql.lit(SIGN_IN_HASHES))
    .where("t.id", "<", p.below).orderBy("t.id", "desc").limit(limit)
);

/** Up to `limit` of all older access tokens, newest first, that can be presented. */
export const allAccessTokensBelow = atMost((
  db,
  p: { org_id: string; below: string },
  limit,
) =>
  selectTokens(db).where("t.org_id", "=", p.org_id)
    .where("t.hash", "not like", sql.lit(SIGN_IN_HASHES))
    .where("t.id", "<", p.below).orderBy("t.id", "desc").limit(limit)
);

/** Access tokens with their people, their last uses and where they leaked. */
function selectTokens(db: QueryBuilder) {
  return db.selectFrom("access_tokens as t")
    .innerJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"),
    )
    .leftJoin(
      "access_token_uses as l",
      (join) => join.onRef("l.org_id", "=", "t.org_id").onRef("l.token_id", "=", "t.id"),
    )
    .leftJoin(
      "leaks as k",
      (join) =>
        join.onRef("k.org_id", "=", "t.org_id").on("k.object", "=", sql.lit("access_token"))
          .onRef("k.object_id", "=", "t.id"),
    )
    .select(COLUMNS);
}

/**
 * The access tokens in force of everybody who holds `admin`, whatever their scope, and the rows of
 * those who sign in by a passkey of this host.
 */
export const administratorTokens = all((
  db,
  p: { org_id: string; now: string; rp_id: string },
) =>
  selectTokens(db)
    .where((eb) =>
      eb.or([
        eb("t.hash", "not like", sql.lit(SIGN_IN_HASHES)),
        eb.exists(
          eb.selectFrom("passkeys as p").select("p.id")
            .whereRef("p.org_id", "=", "t.org_id").whereRef("p.user_id", "=", "t.user_id")
            .where("p.rp_id", "=", p.rp_id).where("p.public_key", "is not", null),
        ),
      ])
    )
    .where("u.org_id", "=", p.org_id).where("u.deactivated_at", "is", null)
    .where("u.suspended_at", "is", null).where("u.covers", "is", null)
    .where("u.permissions", "like", sql.lit("%admin%")).where("t.revoked_at", "is", null)
    .where((eb) => eb.or([eb("t.expires_at", "is", null), eb("t.expires_at", ">", p.now)]))
);

const setScopeSql = statement<Checked<Place & { scope: string }>>()((db, p) =>
  db.updateTable("access_tokens").set({ scope: p.scope, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Sets what an access token opens of what its person holds; words separated by blanks. */
export async function setScope(
  tx: Tx,
  row: { org_id: string; id: string; scope: string },
): Promise<void> {
  const before = await lockToken(tx, { org_id: row.org_id, id: row.id });
  if (!before) return;
  const { scope } = row;
  const checksum = checksumAfter(tx.sealer, "access_tokens", before, { scope });
  await tx.change(setScopeSql, { ...row, checksum });
}

type Rotation =
  & Place
  & { replaced_by: string }
  & Record<"expires_at" | "revoked_at", string | null>;

const markRotatedSql = statement<Checked<Rotation>>()((db, p) =>
  db.updateTable("access_tokens")
    .set({ replaced_by: p.replaced_by, expires_at: p.expires_at, revoked_at: p.revoked_at })
    .set({ checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("replaced_by", "is", null)
    .where("revoked_at", "is", null)
);

/**
 * Sets which access token took over, and when the old one ends. False where it was rotated or
 * revoked already.
 */
export async function markRotated(tx: Tx, row: Rotation): Promise<boolean> {
  const before = await lockToken(tx, { org_id: row.org_id, id: row.id });
  if (!before) return false;
  const { expires_at, revoked_at } = row;
  const after = { expires_at, revoked_at };
  const checksum = checksumAfter(tx.sealer, "access_tokens", before, after);
  return await tx.change(markRotatedSql, { ...row, checksum }) === 1;
}

/** So many are read of an organisation, or of all. */
const COUNTED = 1000;

const ending = (ofOne: boolean) =>
  statement<{ org_id: string; now: string; until: string }>()((db, p) => {
    const query = db.selectFrom("access_tokens")
      .select(["org_id", "id", "name", "date_created", "expires_at", "revoked_at", "replaced_by"])
      .where("expires_at", "is not", null).where("revoked_at", "is", null)
      .where("replaced_by", "is", null)
      .where("expires_at", ">", p.now).where("expires_at", "<=", p.until);
    const within = ofOne ? query.where("org_id", "=", p.org_id) : query;
    return within.orderBy("org_id").orderBy("expires_at").orderBy("id").limit(sql.lit(COUNTED));
  });

const endingSql = { one: ending(true), all: ending(false) };

/** The organisation's access tokens that end within two weeks, the next first; 1,000 at most. */
export function tokensEnding(db: Connection, org_id: string, now: number): Promise<EndingToken[]> {
  return db.rows(endingSql.one, { org_id, ...span(now) });
}

/** The expiring tokens of all organisations. */
export function tokensEndingOfAll(db: Connection, now: number): Promise<EndingToken[]> {
  return db.rows(endingSql.all, { org_id: "", ...span(now) });
}

function span(now: number) {
  return { now: toTimestamp(now), until: toTimestamp(now + WARNED_MS) };
}

/** The last use of an access token. `address` null: a call in process. */
export interface TokenUseRow {
  org_id: string;
  token_id: string;
  last_used_at: string;
  address: string | null;
}

/** Keeps the latest use of an access token. */
export const noteTokenUse = change((db, p: TokenUseRow) =>
  db.insertInto("access_token_uses").values(rowOf("access_token_uses", p)).onConflict((conflict) =>
    conflict.columns(["org_id", "token_id"])
      .doUpdateSet({ last_used_at: p.last_used_at, address: p.address })
      .where("access_token_uses.last_used_at", "<", p.last_used_at)
  )
);

/** The name of an access token; undefined: unknown. */
export const findTokenName = value(finds("access_tokens", { columns: ["name"] }));
