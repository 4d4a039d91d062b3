import { Buffer } from "node:buffer";
import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { exists, held } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import { namedBy, renewalNames } from "./certificate-names.ts";
import { noteNames } from "./certificate-renewals.store.ts";
import { isPublicKey } from "./certificate.ts";
import { allotPositions, findFile } from "./certificates.store.ts";
import { patchDetails, type StoredTexts } from "./stored-certificate.ts";

type Key = { org_id: string; fingerprint: string };

const setCareSql = statement<Key & { owner: string | null; tags: string | null }>()((db, p) =>
  db.updateTable("certificates").set({ owner: p.owner, tags: p.tags })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** Sets who cares for a certificate, and its tags. */
export async function setCare(
  tx: Tx,
  key: Key,
  { owner, tags }: { owner: string; tags: readonly string[] },
): Promise<void> {
  await tx.change(setCareSql, {
    ...key,
    owner: owner === "" ? null : owner,
    tags: tags.length === 0 ? null : JSON.stringify(tags),
  });
}

/** Certificates that are named in one transaction. */
const NAMED_AT_ONCE = 100;

const waitingSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("certificates").select("org_id").where("renewal_names", "is", null)
    .orderBy("org_id").orderBy("fingerprint").limit(sql.lit(1))
);

const unnamedSql = statement<{ org_id: string }>()(
  held((db, p) =>
    db.selectFrom("certificates")
      .select(["org_id", "fingerprint", "not_after", "head", "tail", "details"])
      .where("org_id", "=", p.org_id).where("renewal_names", "is", null)
      .orderBy("fingerprint").limit(sql.lit(NAMED_AT_ONCE))
  ),
);

const setNamesSql = statement<Key & { names: string; details: string }>()((db, p) =>
  db.updateTable("certificates").set({ renewal_names: p.names, details: p.details })
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** Whether any certificate, of whichever organisation, waits for its names: old code added it. */
export const hasUnnamed = exists((db) =>
  db.selectFrom("certificates").select("fingerprint").where("renewal_names", "is", null)
    .limit(sql.lit(1))
);

/** Notes the names of some of them, all of one organisation; gives how many. */
export async function nameSome(tx: Tx): Promise<number> {
  const waiting = await tx.row(waitingSql, {});
  if (!waiting) return 0;
  const { org_id } = waiting;
  await allotPositions(tx, org_id, 0);
  const rows = await tx.rows(unnamedSql, { org_id });
  for (const row of rows) {
    const { fingerprint } = row;
    const details = await withAlgorithms(tx, { org_id, fingerprint }, row);
    const texts = { head: row.head, tail: row.tail, details };
    const names = renewalNames(namedBy(texts));
    await noteNames(tx, org_id, { ...texts, renewal_names: names });
    await tx.change(setNamesSql, { org_id, fingerprint, names, details });
  }
  return rows.length;
}

/** Details that say an algorithm by its number, or that the size of the key is not known. */
const UNNAMED = /,"key_size":0,|,"signature_algorithm":"[012]\./;

/** The details of a certificate, with its algorithms as they are read now. */
async function withAlgorithms(
  tx: Tx,
  key: Key,
  row: StoredTexts & { not_after: string },
): Promise<string> {
  const file = UNNAMED.test(row.details) ? await findFile(tx, key) : undefined;
  if (!file) return row.details;
  // Loaded where it is wanted: a start waits for none of it.
  const { readCertificate } = await import("../../../packages/x509/x509.ts");
  const { readPublicKey } = await import("../../../packages/x509/public-key.ts");
  const der = new Uint8Array(Buffer.from(file.certificate, "base64"));
  try {
    const read = isPublicKey(row) ? readPublicKey(der) : readCertificate(der);
    const { key_algorithm, key_size, signature_algorithm } = read;
    return patchDetails(row, { key_algorithm, key_size, signature_algorithm });
  } catch {
    // Details that earlier code accepted and this one can't read stay as they are.
    return row.details;
  }
}
