/**
 * A code to sign in with, on its way to anyone who asked for it. A code for an address that may not
 * sign in exists, too, and ends here: without a delivery, a mail or a word.
 */
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import { emailKey } from "../developers/developer.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { isProved } from "../developers/email-proof.ts";
import { codePlace, type CodeRow, isEnterable } from "../developers/sign-in-code.ts";
import { findSignInCode } from "../developers/sign-in-codes.store.ts";

/** A code that is meant for a person, and not mailed yet. */
type MailedCode = Omit<CodeRow, "code"> & { code: string };

/** A code that a person is to be mailed; undefined: it is for no one, or was mailed or used. */
export async function findMailedCode(
  db: Connection,
  org_id: string,
  id: string,
): Promise<MailedCode | undefined> {
  const row = await findSignInCode(db, { org_id, id });
  if (!row?.code || row.purpose === "nobody") return undefined;
  return { ...row, code: row.code };
}

/**
 * The address for a code: the developer's own, however it was typed, while that is theirs; for
 * signing up, or for a new address, the one that was typed. Undefined: none.
 */
export async function addressOfCode(
  db: Connection,
  org_id: string,
  id: string,
): Promise<string | undefined> {
  const row = await findMailedCode(db, org_id, id);
  if (!row) return undefined;
  if (row.purpose === "sign_up" || row.purpose === "change") return row.email.trim();
  const known = await findDeveloperEmail(db, org_id, row.developer_id);
  const isTheirs = known && isProved(known.proof) && emailKey(known.email) === row.email_key;
  return isTheirs ? known.email.trim() : undefined;
}

/** The six digits, while they can be entered; undefined: there is nothing to mail any more. */
export async function openedCode(
  { reader, sealer, now }: { reader: Connection; sealer: Sealer; now: () => number },
  org_id: string,
  id: string,
): Promise<string | undefined> {
  const row = await findMailedCode(reader, org_id, id);
  if (!row || !isEnterable(row, now())) return undefined;
  return sealer.open(codePlace(org_id, id), row.code);
}
