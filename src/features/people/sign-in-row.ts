import type { Tx } from "../../storage/storage.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { signInHash } from "./access-token.ts";
import { findTokenByHash, insertToken } from "./access-tokens.store.ts";

/** Its name in the audit log. */
const NAME = "Sign-in";
/** Makes sure that a person has such a row; it ends with the person. */
export async function ensureSignInRow(
  tx: Tx,
  { org_id, user_id, now }: { org_id: string; user_id: string; now: number },
): Promise<void> {
  const hash = signInHash(user_id);
  if (await findTokenByHash(tx, { hash })) return;
  const date_created = toTimestamp(now);
  const id = newId(now);
  await insertToken(tx, { org_id, id, user_id, name: NAME, hash, date_created, expires_at: null });
}
