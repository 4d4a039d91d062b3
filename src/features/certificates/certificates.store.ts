import { sql } from "kysely";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { lockOne, one } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { countCertificate, type CountedRow } from "./certificate-counts.store.ts";
import { countName } from "./certificate-name-ranges.store.ts";
import { type CertificateEntry, searchWords } from "./certificate-entry.ts";
import { dropSaidOf, noteNames } from "./certificate-renewals.store.ts";
import { withKey } from "./certificate.ts";
import type { StoredCertificate } from "./stored-certificate.ts";

type Key = { org_id: string; fingerprint: string };

/** A certificate of the organisation, or undefined. */
export const findCertificate = one(
  finds("certificates", {
    columns: [
      "fingerprint",
      "kind",
      "not_before",
      "not_after",
      "head",
      "tail",
      "details",
      "owner",
      "tags",
    ],
  }),
);

/** Base64 of the DER, and of each certificate of the chain, one a line; or undefined. */
export const findFile = one(finds("certificate_files", { columns: ["certificate", "chain"] }));

const authoritiesSql = statement<{ org_id: string; kind: number; subject_key: string }>()(
  (db, p) =>
    db.selectFrom("certificates")
      .select(["fingerprint", "kind", "not_before", "not_after", "head", "tail", "details"])
      .where("org_id", "=", p.org_id).where("kind", "=", p.kind)
      .where("subject_key", "=", p.subject_key)
      .orderBy("position", "desc").limit(sql.lit(20)),
);

/** The newest authorities with this common name, as subjectKey makes it, 20 of a kind at most. */
export async function findAuthorities(
  db: Connection,
  org_id: string,
  subject_key: string,
): Promise<StoredCertificate[]> {
  const parts = await Promise.all(
    [1, 3].map((kind) => db.rows(authoritiesSql, { org_id, kind, subject_key })),
  );
  return parts.flat();
}

const allotSql = statement<{ org_id: string; n: number }>()((db, p) =>
  db.insertInto("list_counts")
    .values({
      org_id: p.org_id,
      list: sql.lit("certificates/positions"),
      level: sql.lit(0),
      bucket: sql.lit(""),
      shard: sql.lit(0),
      n: p.n,
    })
    .onConflict((conflict) =>
      conflict.columns(["org_id", "list", "level", "bucket", "shard"])
        .doUpdateSet({ n: sql`list_counts.n + excluded.n` })
    ).returning("n")
);

/**
 * The first of `n` fresh positions of an organisation. Other additions and removals wait here until
 * this transaction has ended, so the order of positions is the order in which certificates can be
 * seen. To be called first of all, with 0 too.
 */
export async function allotPositions(tx: Tx, org_id: string, n: number): Promise<number> {
  // SQLite's index of texts has one row number for each position, so there all organisations share
  // the numbers.
  const counted = tx.dialect === "sqlite" ? "" : org_id;
  const allotted = await tx.row(allotSql, { org_id: counted, n });
  return Number(allotted?.n ?? n) - n + 1;
}

/**
 * The certificate's columns that a change needs, locked until the transaction ends; or undefined.
 */
export const lockCertificate = lockOne(
  finds("certificates", {
    columns: [
      "position",
      "kind",
      "not_after",
      "subject_key",
      "search",
      "head",
      "tail",
      "details",
      "owner",
      "tags",
    ],
  }),
);

type Row =
  & Omit<CertificateEntry, "is_ca" | "certificate" | "chain" | "private_key">
  & { org_id: string; position: number; kind: number };

const insertSql = statement<Row>()((db, p) =>
  db.insertInto("certificates").values({
    ...rowOf("certificates", p, "owner", "tags", "names"),
    names: sql.lit(""),
  })
);

type FileRow = Key & { certificate: string; chain: string; private_key: string | null };

const insertFileSql = statement<FileRow>()((db, p) =>
  db.insertInto("certificate_files").values(rowOf("certificate_files", p))
);

type SearchRow = { position: number; text: string; org: string; pk: string; ca: string };

const insertSearchSql = statement<SearchRow>()((db, p) =>
  db.insertInto("certificate_search")
    .values({ rowid: p.position, text: p.text, org: p.org, pk: p.pk, ca: p.ca })
);

const removeSearchSql = statement<{ position: number }>()((db, p) =>
  db.deleteFrom("certificate_search").where("rowid", "=", p.position)
);

/** Adds a certificate whose key, if any, is sealed already, and counts it. */
export async function insertCertificate(
  tx: Tx,
  org_id: string,
  entry: CertificateEntry,
  place: { position: number; kind: number },
): Promise<void> {
  const { is_ca: _, certificate, chain, private_key, ...row } = entry;
  await noteNames(tx, org_id, entry);
  await tx.change(insertSql, { ...row, ...place, org_id });
  const { fingerprint } = entry;
  await tx.change(insertFileSql, { org_id, fingerprint, certificate, chain, private_key });
  await indexText(tx, org_id, { ...place, search: entry.search });
  const { not_after, subject_key } = entry;
  countCertificate(tx, org_id, { ...place, not_after }, 1);
  await countName(tx, org_id, { ...place, subject_key }, 1);
}

const setKeySql = statement<Key & { private_key: string }>()((db, p) =>
  db.updateTable("certificate_files").set({ private_key: p.private_key })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

const setKindSql = statement<Key & { kind: number }>()((db, p) =>
  db.updateTable("certificates").set({ kind: p.kind })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

type Indexed = CountedRow & { search: string; subject_key: string };

/** Gives a certificate that has none this sealed key. */
export async function addPrivateKey(
  tx: Tx,
  key: Key,
  before: Indexed,
  private_key: string,
): Promise<void> {
  await tx.change(setKeySql, { ...key, private_key });
  await setKind(tx, key, before, withKey(before.kind, true));
}

const dropKeySql = statement<Key & { before: string }>()((db, p) =>
  db.updateTable("certificate_files").set({ private_key: null })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
    .where("private_key", "=", p.before)
);

/**
 * Takes this sealed key from a certificate, which then counts as one without. False where it has
 * another or none.
 */
export async function dropPrivateKey(tx: Tx, key: Key, before: string): Promise<boolean> {
  const row = await lockCertificate(tx, { org_id: key.org_id, fingerprint: key.fingerprint });
  if (!row || await tx.change(dropKeySql, { ...key, before }) !== 1) return false;
  await setKind(tx, key, row, withKey(row.kind, false));
  return true;
}

async function setKind(tx: Tx, key: Key, before: Indexed, kind: number): Promise<void> {
  const after = { ...before, kind };
  await tx.change(setKindSql, { ...key, kind });
  await unindexText(tx, before.position);
  await indexText(tx, key.org_id, after);
  countCertificate(tx, key.org_id, before, -1);
  countCertificate(tx, key.org_id, after, 1);
  await countName(tx, key.org_id, before, -1);
  await countName(tx, key.org_id, after, 1);
}

const setChainSql = statement<Key & { chain: string }>()((db, p) =>
  db.updateTable("certificate_files").set({ chain: p.chain })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

const setDetailsSql = statement<Key & { details: string }>()((db, p) =>
  db.updateTable("certificates").set({ details: p.details })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** Gives a certificate that was stored alone its chain, and the details that say so. */
export async function addChain(tx: Tx, key: Key, chain: string, details: string): Promise<void> {
  await tx.change(setChainSql, { ...key, chain });
  await tx.change(setDetailsSql, { ...key, details });
}

const removeSql = statement<Key>()((db, p) =>
  db.deleteFrom("certificates").where("org_id", "=", p.org_id)
    .where("fingerprint", "=", p.fingerprint)
    .returning(["position", "kind", "not_after", "subject_key"])
);

const removeFileSql = statement<Key>()((db, p) =>
  db.deleteFrom("certificate_files").where("org_id", "=", p.org_id)
    .where("fingerprint", "=", p.fingerprint)
);

/** Deletes a certificate with its key. False where there is none. */
export async function removeCertificate(
  tx: Tx,
  org_id: string,
  fingerprint: string,
): Promise<boolean> {
  const removed = await tx.row(removeSql, { org_id, fingerprint });
  if (!removed) return false;
  await tx.change(removeFileSql, { org_id, fingerprint });
  await dropSaidOf(tx, { org_id, fingerprint });
  await unindexText(tx, removed.position);
  countCertificate(tx, org_id, removed, -1);
  await countName(tx, org_id, { ...removed, position: Number(removed.position) }, -1);
  return true;
}

/**
 * Adds the text of a certificate that is stored to the index; does nothing where that is one on the
 * column itself.
 */
export async function indexText(
  db: Connection,
  org_id: string,
  row: { position: number; kind: number; search: string },
): Promise<void> {
  if (db.dialect === "postgres") return;
  const words = searchWords(org_id, row.kind);
  await db.change(insertSearchSql, { position: row.position, text: row.search, ...words });
}

async function unindexText(tx: Tx, position: number): Promise<void> {
  if (tx.dialect === "sqlite") await tx.change(removeSearchSql, { position });
}
