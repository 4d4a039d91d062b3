import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

const ownerSql = statement<{ org_id: string; fingerprint: string }>()((db, p) =>
  db.selectFrom("certificates").select("owner")
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** The address of a certificate's owner; undefined: it has none, or there is no such certificate. */
export async function findOwnerAddress(
  db: Connection,
  org_id: string,
  certificate_id: string,
): Promise<string | undefined> {
  if (!certificate_id.startsWith(org_id)) return undefined;
  const fingerprint = certificate_id.slice(org_id.length);
  return (await db.row(ownerSql, { org_id, fingerprint }))?.owner || undefined;
}
