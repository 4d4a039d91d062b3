import { sql } from "kysely";
import { parsePermissions } from "../../calls/principal.ts";
import { checkedColumns, checksumAfter, checksumOf } from "../../changes/checked-rows.ts";
import { columnsOf, pick, rowOf } from "../../storage/rows.ts";
import {
  all,
  atMost,
  change,
  held,
  lockOne,
  one,
  value,
} from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { type Checked, type Place, revokeToken } from "./access-tokens.store.ts";
import type { PersonRow } from "./person.ts";

/** The columns of a PersonRow. */
export const PERSON = columnsOf("users", "org_id", "checksum");

/** One person, or undefined. */
export const findPerson = one(finds("users", { columns: PERSON }));

/** Holds a person until the transaction ends; nothing where there is none. */
export const lockPerson = lockOne(finds("users", { columns: ["id"] }));

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

/** People in force of all organisations who may approve, by organisation; 1,000 at the most. */
export const everyApprover = all((db) =>
  db.selectFrom("users").select(["org_id", ...PERSON])
    .where("permissions", "like", sql.lit("%approve%"))
    .where("deactivated_at", "is", null).where("suspended_at", "is", null)
    .orderBy("org_id").orderBy("id").limit(sql.lit(1000))
);

const decidersSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("users").select(PERSON).where("org_id", "=", p.org_id)
    .where("permissions", "like", sql.lit("%approve%"))
    .where("deactivated_at", "is", null).where("suspended_at", "is", null)
    .orderBy("id").limit(sql.lit(MOST_DECIDERS))
);

/** People who are counted for a policy, at the most. */
const MOST_DECIDERS = 1000;

/** People in force who may approve, the oldest first, 1,000 at the most. */
export async function peopleWhoApprove(db: Connection, org_id: string): Promise<PersonRow[]> {
  const rows = await db.rows(decidersSql, { org_id });
  return rows.filter(({ permissions }) => parsePermissions(permissions).includes("approve"));
}

const administratorsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("users").select(PERSON).where("org_id", "=", p.org_id)
    .where("permissions", "like", sql.lit("%admin%")).where("covers", "is", null)
    .where("deactivated_at", "is", null).where("suspended_at", "is", null)
    .orderBy("id").limit(sql.lit(APPROVERS))
);

/** The administrator in force who was added first; or undefined. */
export async function firstAdministrator(
  db: Connection,
  org_id: string,
): Promise<PersonRow | undefined> {
  const rows = await db.rows(administratorsSql, { org_id });
  return rows.find(({ permissions }) => parsePermissions(permissions).includes("admin"));
}

/** Administrators in force who have an address, the oldest first, 200 at the most. */
export async function administratorsWithAddress(
  db: Connection,
  org_id: string,
): Promise<PersonRow[]> {
  const rows = await db.rows(administratorsSql, { org_id });
  return rows.filter(({ email, permissions }) =>
    email !== null && parsePermissions(permissions).includes("admin")
  );
}

type PersonChange =
  & { permissions?: string }
  & Partial<
    Record<"deactivated_at" | "suspended_at" | "role" | "covers", string | null>
  >;

/** The checksum of a person, who is held from here on, after a change. */
async function checksumOfPerson(tx: Tx, { org_id, id }: Place, change: PersonChange) {
  const before = await tx.row(lockPersonSql, { org_id, id });
  return before ? checksumAfter(tx.sealer, "users", before, change) : null;
}

type SetOfPerson =
  & Place
  & { name: string; permissions: string }
  & Record<
    "email" | "role" | "covers",
    string | null
  >;

const updatePersonSql = statement<Checked<SetOfPerson>>()((db, p) =>
  db.updateTable("users")
    .set(pick(p, "name", "permissions", "email", "role", "covers", "checksum"))
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * Replaces a person's name, permissions, role, scope and address. A person who may not approve any
 * more has no key request assigned; gives how many they had then.
 */
export async function updatePerson(tx: Tx, row: SetOfPerson): Promise<number> {
  const { permissions, role, covers } = row;
  const checksum = await checksumOfPerson(tx, row, { permissions, role, covers });
  await tx.change(updatePersonSql, { ...row, checksum });
  const { org_id, id } = row;
  if (parsePermissions(permissions).includes("approve")) return 0;
  return await unassignAll(tx, { org_id, id });
}

/** Key requests that wait are assigned to this person no more. */
const unassignAll = change((db, p: Place) =>
  db.updateTable("key_requests").set({ assignee: null })
    .where("org_id", "=", p.org_id).where("assignee", "=", p.id).where("assignee", "is not", null)
    .where("state", "=", sql.lit("pending"))
);

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

const inForceSql = statement<Place>()((db, p) =>
  db.selectFrom("access_tokens").select("id")
    .where("org_id", "=", p.org_id).where("user_id", "=", p.id).where("revoked_at", "is", null)
    .orderBy("id")
);

/**
 * Deactivates a person and revokes all their access tokens. No key request is assigned to them any
 * more; gives how many were.
 */
export async function markDeactivated(
  tx: Tx,
  row: { org_id: string; id: string; at: string },
): Promise<number> {
  const { org_id, id, at } = row;
  const checksum = await checksumOfPerson(tx, row, { deactivated_at: at });
  await tx.change(deactivateSql, { ...row, checksum });
  for (const token of await tx.rows(inForceSql, { org_id, id })) {
    await revokeToken(tx, org_id, token.id, at);
  }
  return await unassignAll(tx, { org_id, id });
}

type UserRow = Record<"org_id" | "id" | "name" | "permissions" | "date_created", string> & {
  email?: string | null;
  role?: string | null;
  covers?: string | null;
};

type FullUserRow = UserRow & Record<"email" | "role" | "covers", string | null>;

const insertUserSql = statement<FullUserRow & { checksum: string }>()((db, p) =>
  db.insertInto("users").values(rowOf("users", p, "deactivated_at", "suspended_at"))
);

/** Adds a user; `permissions` are words separated by blanks. */
export async function insertUser(tx: Tx, row: UserRow): Promise<void> {
  const full = { email: null, role: null, covers: null, ...row };
  const values = { ...full, deactivated_at: null, suspended_at: null };
  const checksum = checksumOf(tx.sealer, "users", values);
  await tx.change(insertUserSql, { ...full, checksum });
}

/** The name of a user, or undefined. */
export const findUserName = value(finds("users", { columns: ["name"] }));
