import type { Actor } from "../../changes/audit.ts";
import { recordAlone } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { findDeveloperByEmail } from "../developers/developer-accounts.store.ts";
import type { Developer } from "../developers/developer.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { lockDeveloper, updateDeveloper } from "../developers/developers.store.ts";
import { emailProofOf, isProved } from "../developers/email-proof.ts";
import { findEmailProof } from "../developers/email-proof.store.ts";
import { burnNonce, insertNonce, lockNonce, type SsoNonceRow } from "./sso.store.ts";

/** A nonce about to be kept. */
type NewNonce = Omit<SsoNonceRow, "org_id">;

/** Keeps a nonce. The audit log records it; as with sessions, no one is notified. */
export const keepNonce = defineTransaction(
  "developer-accounts.keep-sso-nonce",
  async (tx, { actor, nonce }: { actor: Actor; nonce: NewNonce }): Promise<null> => {
    await insertNonce(tx, { org_id: actor.org_id, ...nonce });
    await recordAlone(tx, actor, {
      action: "sso_nonce.created",
      object_id: nonce.id,
      names: { email: nonce.email_key },
    });
    return null;
  },
);

/**
 * Uses a nonce up and gives the id of the developer who has its address now, whose last sign-in
 * this is. Throws `nonce_gone` for one that was used, is over or never was, and `not_found` while
 * no one who may sign in has the address: then the nonce stays. An address that was changed and
 * that no one confirmed signs in to nothing.
 */
export const redeemNonce = defineTransaction(
  "developer-accounts.redeem-sso-nonce",
  async (tx, { actor, hash }: { actor: Actor; hash: string }): Promise<string> => {
    const { org_id, now } = actor;
    const { id, developer } = await useNonce(tx, { org_id, hash, now });
    await updateDeveloper(tx, org_id, { ...developer, last_login_date: toTimestamp(now) });
    await recordAlone(tx, actor, {
      action: "sso_nonce.redeemed",
      object_id: id,
      detail: { developer_id: developer.id },
      names: namesOfDeveloper(developer),
    });
    return developer.id;
  },
);

/**
 * Uses a nonce up and gives the developer who has its address now, held, and the access token that
 * made it. Throws what redeemNonce throws.
 */
export async function useNonce(
  tx: Tx,
  { org_id, hash, now }: { org_id: string; hash: string; now: number },
): Promise<{ id: string; token_id: string; developer: Developer }> {
  const nonce = await lockNonce(tx, { org_id, hash, now: toTimestamp(now) });
  if (!nonce) throw new Failure("nonce_gone");
  const { id, email_key, token_id } = nonce;
  const known = await findDeveloperByEmail(tx, { org_id, email_key });
  const developer = known && await lockDeveloper(tx, org_id, known.id);
  if (!developer || developer.inactive) throw new Failure("not_found");
  const proof = emailProofOf(
    await findEmailProof(tx, { org_id, id: developer.id }),
    developer.email,
  );
  if (!isProved(proof)) throw new Failure("not_found");
  if (!await burnNonce(tx, { org_id, hash })) throw new Failure("nonce_gone");
  return { id, token_id: token_id ?? "", developer };
}
