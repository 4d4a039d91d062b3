import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isUniqueViolation } from "../../storage/unique-violation.ts";
import { foldedEmail } from "./developer.ts";
import { findEmailOwner, lockUnfolded, setFoldedEmail } from "./folded-emails.store.ts";

/**
 * Folds the addresses of a chunk of the developers that wait. Of several whose addresses read the
 * same the first keeps it and the others are marked; all go on. Gives how many; throws
 * `unavailable` where another writer came in between.
 */
export const foldEmails = defineTransaction("developers.fold-emails", async (tx, _: null) => {
  const rows = await lockUnfolded(tx);
  try {
    for (const row of rows) await foldEmail(tx, row);
  } catch (error) {
    throw isUniqueViolation(error) ? new Failure("unavailable") : error;
  }
  return rows.length;
});

async function foldEmail(
  tx: Tx,
  { org_id, id, email_key }: { org_id: string; id: string; email_key: string },
): Promise<void> {
  const folded = foldedEmail(email_key);
  // A developer whose address is its own folded form has it already.
  const shared = folded !== email_key &&
    await findEmailOwner(tx, { org_id, folded }) !== undefined;
  await setFoldedEmail(tx, { org_id, id }, { folded, shared });
}
