import type { Actor } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import {
  challengeFor,
  type KeptSignature,
  type ProvedSignature,
  type SignedContent,
} from "./passkey-signature.ts";
import { spendChallenge, usePasskey } from "./passkeys.store.ts";

/**
 * Takes a signature that was proved, once: its nonce is spent, and its passkey counts on. Throws
 * `signature_refused` where it is over something else, or either was so already.
 */
export async function takeSignature(
  tx: Tx,
  { org_id, now }: Actor,
  signed: ProvedSignature,
  content: SignedContent,
): Promise<KeptSignature> {
  const { passkey_id: id, counter, challenge, spent, proof } = signed;
  if (challenge !== challengeFor(content)) throw new Failure("signature_refused");
  const isFresh = await spendChallenge(tx, { org_id, ...spent });
  if (!isFresh || !await usePasskey(tx, { org_id, id, counter, at: toTimestamp(now) })) {
    throw new Failure("signature_refused");
  }
  return { content, ...proof };
}
