import type { Connection } from "../../storage/storage.ts";
import { findDeveloperEmail } from "./developer-email.store.ts";
import { addressKey, isProved } from "./email-proof.ts";
import { findVerifiedEmail } from "./verified-emails.store.ts";

/** Whether the address that a developer has now is theirs, and a mail to it reached them. */
export async function isVerified(db: Connection, org_id: string, id: string): Promise<boolean> {
  return await verifiedAddress(db, org_id, id) !== "";
}

/** The address that a developer has now, if it is verified; else "". */
export async function verifiedAddress(
  db: Connection,
  org_id: string,
  id: string,
): Promise<string> {
  const known = await findDeveloperEmail(db, org_id, id);
  if (!known || !isProved(known.proof)) return "";
  const verified = await findVerifiedEmail(db, { org_id, id });
  return verified && addressKey(verified.address) === addressKey(known.email) ? known.email : "";
}
