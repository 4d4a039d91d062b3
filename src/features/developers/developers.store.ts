import { sql } from "kysely";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { countRow } from "../../storage/list-counts.ts";
import { pick, rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { exists, held, lockOne } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";
import { attachKey as attachKeyToText } from "./developer-text.ts";
import {
  type Developer,
  type DeveloperSecrets,
  emailKey,
  foldedEmail,
  type IssuedKey,
  joinSecrets,
  splitSecrets,
  ssoKeyHash,
  withIssuedKey,
} from "./developer.ts";
import { findEmailOwner } from "./folded-emails.store.ts";
import { findSsoKeyOwner } from "./sso-keys.store.ts";

/** The list in which developers are counted. */
export const DEVELOPERS = "developers";

const lockSql = statement<{ org_id: string; id: string }>()(
  held((db, p) =>
    db.selectFrom("developers").select(["document", "secrets"])
      .select(({ selectFrom }) =>
        // Beside it, so that an approval where there is none asks no question for it.
        selectFrom("gateways as g").select(sql<number>`count(*)`.as("n"))
          .where("g.org_id", "=", p.org_id).as("gateways")
      )
      .where("org_id", "=", p.org_id).where("id", "=", p.id)
  ),
);

const insertSql = statement<
  {
    org_id: string;
    id: string;
    email_key: string;
    document: string;
    secrets: string | null;
    date_created: string;
    instant: string;
    inactive: number;
    sso_key_hash: string;
    email_folded: string;
  }
>()((db, p) =>
  db.insertInto("developers").values({
    ...rowOf(
      "developers",
      p,
      "password_hash",
      "own_password",
      "worded",
      "sso_key_shared",
      "email_shared",
      "tags",
    ),
    // Brought into the search after the commit.
    worded: sql.lit(0),
    sso_key_shared: sql.lit(""),
    email_shared: sql.lit(""),
  }).onConflict((conflict) => conflict.doNothing())
);

const updateSql = statement<
  {
    org_id: string;
    id: string;
    email_key: string;
    document: string;
    secrets: string | null;
    inactive: number;
  }
>()((db, p) =>
  db.updateTable("developers")
    .set(pick(p, "email_key", "document", "secrets", "inactive"))
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A developer as it is stored. */
export interface StoredDeveloper {
  id: string;
  document: string;
  secrets: string | null;
}

/** A stored developer, locked. */
export interface LockedDeveloper extends StoredDeveloper {
  /** Whether the organisation has gateways that hold keys. */
  hasGateways: boolean;
}

/** The developer as stored, held against other writers until the transaction ends; or undefined. */
export async function lockStoredDeveloper(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<LockedDeveloper | undefined> {
  const row = await tx.row(lockSql, { org_id, id });
  if (!row) return undefined;
  const { document, secrets, gateways } = row;
  return { id, document, secrets, hasGateways: Number(gateways) > 0 };
}

/** The locked developer with secrets opened. */
export async function lockDeveloper(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<Developer | undefined> {
  const stored = await lockStoredDeveloper(tx, org_id, id);
  return stored && openStored(tx.sealer, org_id, stored);
}

/** Whether the organisation has this developer. */
export const developerExists = exists(finds("developers", { columns: ["id"] }));

/** Holds the developer until the transaction ends, without reading it. Undefined: there is none. */
export const lockDeveloperRow = lockOne(finds("developers", { columns: ["id"] }));

/**
 * Adds a developer and counts it. False when the id, or an e-mail or sso_key that is not empty, is
 * taken in the organisation; an e-mail also where another one reads like it.
 */
export async function insertDeveloper(tx: Tx, org_id: string, full: Developer): Promise<boolean> {
  const { date_created } = full;
  const instant = instantOf(date_created);
  const sso_key_hash = ssoKeyHash(full.sso_key);
  const email_folded = foldedEmail(full.email);
  if (await isSsoKeyTaken(tx, org_id, sso_key_hash)) return false;
  if (await isEmailTaken(tx, org_id, email_folded)) return false;
  const sealed = sealRow(tx.sealer, org_id, full);
  const row = { ...sealed, date_created, instant, sso_key_hash, email_folded };
  if (await tx.change(insertSql, row) !== 1) return false;
  countRow(tx, { org_id, list: DEVELOPERS, instant }, 1);
  return true;
}

/**
 * Whether a developer has the sso_key of this hash. The index alone does not tell: it lets anyone
 * who is marked as sharing a key have it beside another one.
 */
export async function isSsoKeyTaken(tx: Tx, org_id: string, hash: string): Promise<boolean> {
  return hash !== "" && await findSsoKeyOwner(tx, { org_id, hash }) !== undefined;
}

/** Whether a developer's address reads like this one, folded. The index alone can't tell. */
async function isEmailTaken(tx: Tx, org_id: string, folded: string): Promise<boolean> {
  return folded !== "" && await findEmailOwner(tx, { org_id, folded }) !== undefined;
}

/**
 * Changes a developer that exists, but neither e-mail address nor `fields` nor sso_key, by which
 * they are found.
 */
export async function updateDeveloper(tx: Tx, org_id: string, full: Developer): Promise<void> {
  await tx.send(updateSql, sealRow(tx.sealer, org_id, full));
}

const setDocumentSql = statement<{ org_id: string; id: string; document: string }>()((db, p) =>
  db.updateTable("developers").set({ document: p.document })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Attaches a fresh key to a developer that the transaction holds; see withIssuedKey. */
export async function attachKey(
  tx: Tx,
  org_id: string,
  stored: StoredDeveloper,
  issued: IssuedKey,
): Promise<void> {
  const document = attachKeyToText(stored.document, issued);
  if (document !== undefined) await tx.send(setDocumentSql, { org_id, id: stored.id, document });
  else {
    const full = openStored(tx.sealer, org_id, stored);
    await updateDeveloper(tx, org_id, withIssuedKey(full, issued));
  }
}

/** The developer of a stored row, with its secrets opened. */
export function openStored(sealer: Sealer, org_id: string, stored: StoredDeveloper): Developer {
  // as: sealRow wrote exactly this.
  const document = JSON.parse(stored.document) as Developer;
  return openDeveloper(sealer, org_id, stored.id, document, stored.secrets);
}

/** Whether the secrets of a stored row open with the keys at hand. */
export function canOpenStored(sealer: Sealer, org_id: string, stored: StoredDeveloper): boolean {
  return stored.secrets === null || sealer.canOpen(place(org_id, stored.id), stored.secrets);
}

/** Opens the secrets of a developer's row and puts them back into place. */
export function openDeveloper(
  sealer: Sealer,
  org_id: string,
  id: string,
  document: Developer,
  secrets: string | null,
): Developer {
  if (secrets === null) return document;
  // as: sealRow wrote exactly this.
  const opened = JSON.parse(sealer.open(place(org_id, id), secrets)) as DeveloperSecrets;
  return joinSecrets(document, opened);
}

/** The instant of date_created, as text that sorts like it. */
export function instantOf(date_created: string): string {
  return parseTimestamp(date_created)?.instant ?? "";
}

/** The columns of a developer, its secrets sealed apart from the document. */
export function sealRow(sealer: Sealer, org_id: string, full: Developer) {
  const { document, secrets } = splitSecrets({ ...full, org_id });
  return {
    org_id,
    id: full.id,
    email_key: emailKey(full.email),
    inactive: full.inactive ? 1 : 0,
    document: JSON.stringify(document),
    secrets: secrets && sealer.seal(place(org_id, full.id), JSON.stringify(secrets)),
  };
}

function place(org_id: string, id: string) {
  return { table: "developers", org_id, id, column: "secrets" };
}
