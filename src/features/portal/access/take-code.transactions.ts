import type { Tx } from "../../../storage/storage.ts";
import {
  type CodeRow,
  isEnterable,
  isRightCode,
  ticketHash,
  USED,
} from "../../developers/sign-in-code.ts";
import {
  countWrongCode,
  lockSignInCode,
  useSignInCode,
} from "../../developers/sign-in-codes.store.ts";

/** Uses a code up; undefined: it opens nothing. */
export async function takeCode(
  tx: Tx,
  { org_id, ticket, code, now }: { org_id: string; ticket: string; code: string; now: number },
  purposes: readonly CodeRow["purpose"][],
): Promise<CodeRow | undefined> {
  const row = await lockSignInCode(tx, { ticket: ticketHash(ticket) });
  if (!row || row.org_id !== org_id || !isEnterable(row, now)) return undefined;
  const { id } = row;
  if (!isRightCode(row, ticket, code) || !purposes.includes(row.purpose)) {
    await countWrongCode(tx, { org_id, id });
    return undefined;
  }
  await useSignInCode(tx, { org_id, id, used: USED });
  return row;
}
