import type { Connection } from "../../storage/storage.ts";
import { findDeveloperEmail } from "./developer-email.store.ts";
import { addressKey, isProved } from "./email-proof.ts";
import { findVerifiedEmail } from "./verified-emails.store.ts";

/** Whether the address that a developer has now is theirs, and a mail to it reached them. */
export async function isVerified(db: Connection, org_id: string, id: string): Promise<boolean> {
  const known = await findDeveloperEmail(db, org_id, id);
  if (!known || !isProved(known.proof)) return false;
  const verified = await findVerifiedEmail(db, { org_id, id });
  return verified !== undefined && addressKey(verified.address) === addressKey(known.email);
}
