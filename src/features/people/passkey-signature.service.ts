import { Buffer } from "node:buffer";
import type { RequestContext } from "../../calls/context.ts";
import { spentBy } from "./decision-nonce.ts";
import type { Assertion } from "./passkey-proof.ts";
import { publicKeyOf } from "./passkey-proof.ts";
import type { ProvedSignature } from "./passkey-signature.ts";
import { assertedBy } from "./passkeys.service.ts";

/** A signature over a decision, as a person sent it. */
interface SentSignature extends Assertion {
  nonce: string;
}

/**
 * Looks at a signature. "refused": the nonce is over or another session's, the passkey is none of
 * the caller's, or the answer is to another address, or says of no one who they are.
 */
export async function provedSignature(
  ctx: RequestContext,
  sent: SentSignature,
  host: string | null,
): Promise<ProvedSignature | "refused"> {
  const { principal: { org_id, user_id, session }, sealer, clock } = ctx;
  const spent = session && spentBy(sealer, session.id, sent.nonce, clock.now());
  const challenge = challengeIn(sent.client_data);
  if (!spent || challenge === undefined) return "refused";
  const found = await assertedBy(ctx, sent, { challenge, host });
  if (found?.row.org_id !== org_id || found.row.user_id !== user_id) return "refused";
  const public_key = await publicKeyOf(found.kept.key);
  const { id: credential_id, authenticator_data, client_data, signature } = sent;
  const { row: { id: passkey_id }, counter } = found;
  const kept = { authenticator_data, client_data, signature };
  const proof = { passkey_id, credential_id, public_key, ...kept };
  return { passkey_id, counter, challenge, nonce: sent.nonce, spent, proof };
}

/** The challenge that a browser says it answers. */
function challengeIn(client_data: string): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(client_data, "base64url").toString());
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    return undefined;
  }
}
