import type { Connection } from "../../storage/storage.ts";
import { findDeveloper } from "./developer-accounts.store.ts";
import { emailIn } from "./developer-text.ts";
import { type EmailProof, emailProofOf } from "./email-proof.ts";
import { findEmailProof } from "./email-proof.store.ts";

/** A developer's address, and whether it is theirs. */
interface DeveloperEmail {
  /** "": they have none. */
  email: string;
  proof: EmailProof;
}

/**
 * The address of a developer as it is at this moment; undefined: no one knows them. Code that hands
 * something out by it calls `isProved`.
 */
export async function findDeveloperEmail(
  db: Connection,
  org_id: string,
  id: string,
): Promise<DeveloperEmail | undefined> {
  const row = await findDeveloper(db, { org_id, id });
  if (!row) return undefined;
  const email = emailIn(row.document);
  return { email, proof: emailProofOf(await findEmailProof(db, { org_id, id }), email) };
}
