import { sql } from "kysely";
import { parsePermissions } from "../../calls/principal.ts";
import { checkedColumns, checksumAfter } from "../../changes/checked-rows.ts";
import { statement } from "../../storage/statement.ts";
import { all, atMost, held, lockAll, lockOne, one } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { lockToken, revokeToken } from "./access.store.ts";
import type { PersonRow } from "./person.ts";

/**
 * Holds the organisation until the transaction ends. Every change of people and access tokens begins with it: who
 * may still administer is a question about all rows, which no lock on some of them would answer.
 */
export const lockOrganisation = lockAll((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select("id").where("id", "=", p.org_id)
);

/** The columns of a PersonRow. */
const PERSON = [
  ...["id", "name", "permissions", "date_created", "deactivated_at", "suspended_at"] as const,
  "email" as const,
] as const;

type Place = { org_id: string; id: string };

/** One person, or undefined. */
export const findPerson = one((db, p: Place) =>
  db.selectFrom("users").select(PERSON)
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Holds a person until the transaction ends; nothing where there is none. */
export const holdPerson = lockOne((db, p: Place) =>
  db.selectFrom("users").select("id").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Up to `limit` people with smaller ids, that is older ones, newest first. */
export const peopleBelow = atMost((db, p: { org_id: string; below: string }, limit) =>
  db.selectFrom("users").select(PERSON)
    .where("org_id", "=", p.org_id).where("id", "<", p.below)
    .orderBy("id", "desc").limit(limit)
);

const lockPersonSql = statement<Place>()(
  held((db, p) =>
    db.selectFrom("users").select(checkedColumns.users).select("checksum")
      .where("org_id", "=", p.org_id).where("id", "=", p.id), (query) => query.forNoKeyUpdate()),
);

/** People who are written to when something waits, at the most. */
const APPROVERS = 200;

const approversSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("users").select(PERSON).where("org_id", "=", p.org_id)
    .where("email", "is not", null).where("permissions", "like", sql.lit("%approve%"))
    .where("deactivated_at", "is", null).where("suspended_at", "is", null)
    .orderBy("id").limit(sql.lit(APPROVERS))
);

/** People in force who may approve and have an address, the oldest first, 200 at the most. */
export async function approversWithAddress(db: Connection, org_id: string): Promise<PersonRow[]> {
  const rows = await db.rows(approversSql, { org_id });
  return rows.filter(({ permissions }) => parsePermissions(permissions).includes("approve"));
}

type PersonChange =
  & { permissions?: string }
  & Partial<
    Record<"deactivated_at" | "suspended_at", string | null>
  >;

/** The checksum of a person, who is held from here on, after a change. */
async function checksumOfPerson(tx: Tx, { org_id, id }: Place, change: PersonChange) {
  const before = await tx.row(lockPersonSql, { org_id, id });
  return before ? checksumAfter(tx.sealer, "users", before, change) : null;
}

type Checked<T> = T & { checksum: string | null };

const updatePersonSql = statement<
  Checked<Place & { name: string; permissions: string; email: string | null }>
>()((db, p) =>
  db.updateTable("users")
    .set({ name: p.name, permissions: p.permissions, email: p.email, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Replaces a person's name, permissions and address. */
export async function updatePerson(
  tx: Tx,
  row: { org_id: string; id: string; name: string; permissions: string; email: string | null },
): Promise<void> {
  const { permissions } = row;
  const checksum = await checksumOfPerson(tx, row, { permissions });
  await tx.change(updatePersonSql, { ...row, checksum });
}

const deactivateSql = statement<Checked<Place & { at: string }>>()((db, p) =>
  db.updateTable("users").set({ deactivated_at: p.at, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("deactivated_at", "is", null)
);

const setSuspendedSql = statement<Checked<Place & { suspended_at: string | null }>>()((db, p) =>
  db.updateTable("users").set({ suspended_at: p.suspended_at, checksum: p.checksum })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Suspends a person, from `suspended_at` on, or lifts that by null. */
export async function setSuspended(
  tx: Tx,
  row: { org_id: string; id: string; suspended_at: string | null },
): Promise<void> {
  const { suspended_at } = row;
  const checksum = await checksumOfPerson(tx, row, { suspended_at });
  await tx.change(setSuspendedSql, { ...row, checksum });
}

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

const inForceSql = statement<Place>()((db, p) =>
  db.selectFrom("access_tokens").select("id")
    .where("org_id", "=", p.org_id).where("user_id", "=", p.id).where("revoked_at", "is", null)
    .orderBy("id")
);

/** Deactivates a person and revokes all their access tokens. */
export async function markDeactivated(
  tx: Tx,
  row: { org_id: string; id: string; at: string },
): Promise<void> {
  const { org_id, id, at } = row;
  const checksum = await checksumOfPerson(tx, row, { deactivated_at: at });
  await tx.change(deactivateSql, { ...row, checksum });
  for (const token of await tx.rows(inForceSql, { org_id, id })) {
    await revokeToken(tx, org_id, token.id, at);
  }
}

/** The columns of an AccessTokenRow; `t` are access tokens, `u` their people, `l` their last uses. */
const COLUMNS = [
  ...["t.id", "t.user_id", "t.name", "t.hash", "t.scope", "t.date_created"] as const,
  ...["t.expires_at", "t.revoked_at", "t.replaced_by"] as const,
  ...["t.issued_by", "t.addresses"] as const,
  ...["u.permissions", "u.suspended_at", "l.last_used_at", "l.address as last_used_from"] as const,
  ...["k.reported_at as leaked_at", "k.reported_by as leaked_by", "k.url as leaked_url"] as const,
] as const;

/** One access token, in force or not. */
export const findAccessToken = one((db, p: Place) =>
  db.selectFrom("access_tokens as t")
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .leftJoin("access_token_uses as l", (join) =>
      join.onRef("l.org_id", "=", "t.org_id").onRef("l.token_id", "=", "t.id"))
    .leftJoin("leaks as k", (join) =>
      join.onRef("k.org_id", "=", "t.org_id").on("k.object", "=", sql.lit("access_token"))
        .onRef("k.object_id", "=", "t.id"))
    .select(COLUMNS).where("t.org_id", "=", p.org_id).where("t.id", "=", p.id)
);

/** Up to `limit` of a person's older access tokens, newest first. */
export const accessTokensBelow = atMost((
  db,
  p: { org_id: string; user_id: string; below: string },
  limit,
) =>
  db.selectFrom("access_tokens as t")
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
    .select(COLUMNS).where("t.org_id", "=", p.org_id).where("t.user_id", "=", p.user_id)
    .where("t.id", "<", p.below).orderBy("t.id", "desc").limit(limit)
);

/** The access tokens in force of everybody who holds `admin`, whatever their scope. */
export const administratorTokens = all((db, p: { org_id: string; now: string }) =>
  db.selectFrom("users as u")
    .innerJoin(
      "access_tokens as t",
      (join) => join.onRef("t.org_id", "=", "u.org_id").onRef("t.user_id", "=", "u.id"),
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
    .select(COLUMNS).where("u.org_id", "=", p.org_id).where("u.deactivated_at", "is", null)
    .where("u.suspended_at", "is", null)
    .where("u.permissions", "like", sql.lit("%admin%")).where("t.revoked_at", "is", null)
    .where((eb) => eb.or([eb("t.expires_at", "is", null), eb("t.expires_at", ">", p.now)]))
);

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

/** Sets which access token took over, and when the old one ends. False where it was rotated or revoked already. */
export async function markRotated(tx: Tx, row: Rotation): Promise<boolean> {
  const before = await lockToken(tx, { org_id: row.org_id, id: row.id });
  if (!before) return false;
  const { expires_at, revoked_at } = row;
  const after = { expires_at, revoked_at };
  const checksum = checksumAfter(tx.sealer, "access_tokens", before, after);
  return await tx.change(markRotatedSql, { ...row, checksum }) === 1;
}
