import { sql } from "kysely";
import { Failure } from "../../kernel/failure.ts";
import { countRow, listCounter, type Position } from "../../storage/list-counts.ts";
import { byWindow, cutWindow } from "../../storage/list-window.ts";
import { pick } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { change, one, value } from "../../storage/statement-functions.ts";
import { finds, updates } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { isUniqueViolation } from "../../storage/unique-violation.ts";
import { variants } from "../../storage/variants.ts";
import { listTags, unlistTags } from "./developer-tags.store.ts";
import { removeWords } from "./developer-words.store.ts";
import { type Developer, emailKey, foldedEmail, ssoKeyHash } from "./developer.ts";
import { DEVELOPERS, instantOf, isSsoKeyTaken, sealRow } from "./developers.store.ts";
import { findEmailOwner, setFoldedEmail } from "./folded-emails.store.ts";
import { setSsoKeyHash } from "./sso-keys.store.ts";

/** A developer as answers are made of it. */
export interface DeveloperRow {
  id: string;
  instant: string;
  /** JSON text of the developer; its secrets read "". */
  document: string;
  /** Sealed; see openDeveloper. */
  secrets: string | null;
}

/** The counter of an organisation's developers. */
export const developerCounter = listCounter([DEVELOPERS]);

const columns = ["id", "instant", "document", "secrets"] as const;

/** The developer of this id, or undefined. */
export const findDeveloper = one(finds("developers", { columns: columns }));

/**
 * The developer with this e-mail (as emailKey makes it), and the hash of their password; or
 * undefined.
 */
export const findDeveloperByEmail = one((db, p: { org_id: string; email_key: string }) =>
  db.selectFrom("developers").select([...columns, "password_hash"]).where("org_id", "=", p.org_id)
    // Said once more in words that the partial index has.
    .where("email_key", "=", p.email_key).where("email_key", "<>", sql.lit(""))
);

const foreignCostSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select(sql<string>`substr(password_hash, 5, 2)`.as("cost"))
    .where("org_id", "=", p.org_id)
    // Said in words that the partial index has: hashes of our own begin with `$a`.
    .where(sql<boolean>`password_hash < '$3'`)
    .orderBy(sql`substr(password_hash, 5, 2)`, "desc").limit(sql.lit(1))
);

/**
 * The greatest cost of the organisation's bcrypt hashes; null: there is none. One step in an index
 * of these alone.
 */
export async function greatestForeignCost(db: Connection, org_id: string): Promise<number | null> {
  const row = await db.row(foreignCostSql, { org_id });
  return row ? Number(row.cost) : null;
}

/**
 * The developer with the sso_key of this hash; of several the one who is not marked as sharing it.
 * Or undefined.
 */
export const findDeveloperBySsoKey = one((db, p: { org_id: string; hash: string }) =>
  db.selectFrom("developers").select(columns).where("org_id", "=", p.org_id)
    // Said once more in words that the partial index has.
    .where("sso_key_hash", "=", p.hash).where("sso_key_hash", "<>", sql.lit(""))
    .orderBy("sso_key_shared").limit(sql.lit(1))
);

type PageParams = { org_id: string; before: string; skip: number };
type NextParams = { org_id: string; instant: string; id: string };

const pageSql = byWindow((window) =>
  statement<PageParams>()((db, p, dialect) => {
    const newest = db.selectFrom("developers").select(columns).where("org_id", "=", p.org_id)
      .where("instant", "<", p.before).orderBy("instant", "desc").orderBy("id", "desc");
    return cutWindow({ db, dialect }, newest, ["instant", "id"], { ...window, skip: p.skip });
  })
);

const nextSql = variants((limit: number) =>
  statement<NextParams>()((db, p) =>
    db.selectFrom("developers").select(columns).where("org_id", "=", p.org_id)
      .where(sql<boolean>`(instant, id) < (${p.instant}, ${p.id})`)
      .orderBy("instant", "desc").orderBy("id", "desc").limit(sql.lit(limit))
  )
);

const firstSql = variants((limit: number) =>
  statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("developers").select(columns).select(developerCounter.total(p.org_id).as("total"))
      .where("org_id", "=", p.org_id).where("instant", "<", sql.lit("~"))
      .orderBy("instant", "desc").orderBy("id", "desc").limit(sql.lit(limit))
  )
);

/** The newest `limit` developers, and how many there are; one round trip. */
export async function firstDevelopers(
  db: Connection,
  org_id: string,
  limit: number,
): Promise<{ rows: DeveloperRow[]; total: number }> {
  const rows = await db.rows(firstSql(limit), { org_id });
  return { rows, total: Number(rows[0]?.total ?? 0) };
}

/** Up to `limit` developers from a position on, newest first. */
export function pageOfDevelopers(
  db: Connection,
  org_id: string,
  position: Position,
  limit: number,
): Promise<DeveloperRow[]> {
  return db.rows(pageSql(limit, position.skip), { org_id, ...position });
}

/** Up to `limit` developers that come after this one, newest first; from the newest without it. */
export function developersAfter(
  db: Connection,
  org_id: string,
  last: { instant: string; id: string } | undefined,
  limit: number,
): Promise<DeveloperRow[]> {
  const { instant, id } = last ?? { instant: "~", id: "" };
  return db.rows(nextSql(limit), { org_id, instant, id });
}

const replaceSql = statement<
  {
    org_id: string;
    id: string;
    email_key: string;
    document: string;
    secrets: string | null;
    date_created: string;
    instant: string;
    inactive: number;
  }
>()((db, p) =>
  db.updateTable("developers").set({
    ...pick(p, "email_key", "document", "secrets", "date_created", "instant", "inactive"),
    worded: sql.lit(0),
  }).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Replaces a developer that this transaction holds. Throws `email_taken` and `sso_key_taken`. */
export async function replaceDeveloper(
  tx: Tx,
  org_id: string,
  before: Developer,
  after: Developer,
): Promise<void> {
  const { date_created } = after;
  const instant = instantOf(date_created);
  const row = { ...sealRow(tx.sealer, org_id, after), date_created, instant };
  try {
    await tx.change(replaceSql, row);
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken() : error;
  }
  // A developer who has long shared their address may keep it: only another one is checked.
  if (emailKey(after.email) !== emailKey(before.email)) await takeEmail(tx, org_id, after);
  if (after.sso_key !== before.sso_key) await takeSsoKey(tx, org_id, after);
  const instantBefore = instantOf(before.date_created);
  if (instant === instantBefore) return;
  await listTags(tx, { org_id, id: after.id });
  countRow(tx, { org_id, list: DEVELOPERS, instant }, 1);
  countRow(tx, { org_id, list: DEVELOPERS, instant: instantBefore }, -1);
}

/** The error for an e-mail address that another developer has. */
export function emailTaken(): Failure {
  const message = "email: belongs to another developer";
  return new Failure("email_taken", { message, details: [message] });
}

async function takeEmail(tx: Tx, org_id: string, { id, email }: Developer): Promise<void> {
  const folded = foldedEmail(email);
  const holder = folded === "" ? undefined : await findEmailOwner(tx, { org_id, folded });
  if (holder !== undefined && holder !== id) throw emailTaken();
  try {
    await setFoldedEmail(tx, { org_id, id }, { folded, shared: false });
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken() : error;
  }
}

async function takeSsoKey(tx: Tx, org_id: string, { id, sso_key }: Developer): Promise<void> {
  const hash = ssoKeyHash(sso_key);
  if (await isSsoKeyTaken(tx, org_id, hash)) throw ssoKeyTaken();
  try {
    await setSsoKeyHash(tx, { org_id, id }, { hash, shared: false });
  } catch (error) {
    throw isUniqueViolation(error) ? ssoKeyTaken() : error;
  }
}

/** The error for an sso_key that another developer has. */
export function ssoKeyTaken(): Failure {
  const message = "sso_key: belongs to another developer";
  return new Failure("sso_key_taken", { message, details: [message] });
}

/** Sets the hash of a developer's password. */
export const setPasswordHash = change(updates("developers", "password_hash"));

/** Takes a developer's password away: none signs in from then on. */
export const clearPassword = change((db, p: { org_id: string; id: string }) =>
  db.updateTable("developers").set({ password_hash: null, own_password: null })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Sets the hash of a password that the developer chose themselves, or that an import brought. */
export const setOwnPassword = change(updates("developers", "password_hash", "own_password"));

/**
 * Replaces the hash of an imported password where it is still `from`: a compare-and-set. It stays
 * the developer's own.
 */
export const replacePasswordHash = change((
  db,
  p: Record<"org_id" | "id" | "from" | "to" | "own_password", string>,
) =>
  db.updateTable("developers").set({ password_hash: p.to, own_password: p.own_password })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("password_hash", "=", p.from)
);

const removeSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.deleteFrom("developers").where("org_id", "=", p.org_id).where("id", "=", p.id)
    .returning("instant")
);

/** Deletes a developer and counts it out. False where there is none. */
export async function removeDeveloper(tx: Tx, org_id: string, id: string): Promise<boolean> {
  const removed = await tx.row(removeSql, { org_id, id });
  if (!removed) return false;
  await removeWords(tx, { org_id, id });
  await unlistTags(tx, { org_id, id });
  countRow(tx, { org_id, list: DEVELOPERS, instant: removed.instant }, -1);
  return true;
}

/** Whether a developer is inactive (1) or not (0); undefined: no one knows them. */
export const findDeveloperState = value(finds("developers", { columns: ["inactive"] }));

/** The hash of a developer's password, and whose choice it was. */
export const findPasswordOf = one(
  finds("developers", { columns: ["password_hash", "own_password"] }),
);
