import type { Actor } from "../../changes/audit.ts";
import { personalWords } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import type { Tx } from "../../storage/storage.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { isProved } from "../developers/email-proof.ts";
import { NOTHING_ELSE } from "./granted-terms.ts";
import { offerAddress } from "./offer-link.ts";
import type { Offer } from "./offer.ts";
import { namesOfRequest } from "./request-names.store.ts";
import type { Total } from "./steps.transactions.ts";
import { type StoredTexts, termsOf } from "./stored-request.ts";
import { setOffer } from "./v1.store.ts";

/** The new offer; its requester is added to it. */
type NewOffer = Pick<Offer, "id" | "expires_at" | "terms" | "reason" | "message">;

/** Keeps an offer with its request, which is held, and tells the audit log. */
export async function keepOffer(
  tx: Tx,
  actor: Actor,
  { id, row, made }: {
    id: string;
    row: StoredTexts;
    made: NewOffer;
  },
): Promise<void> {
  const { org_id, user_id, now } = actor;
  const { plans, by_user } = termsOf(row);
  const { reason, message, terms, expires_at } = made;
  const offer: Offer = {
    id: made.id,
    at: toTimestamp(now),
    by: user_id,
    expires_at,
    terms,
    asked: { plans, by_user },
    to: await addressFor(tx, org_id, by_user),
    reason,
    message,
    answer: null,
  };
  await changeOffer(tx, actor, { id, offer });
  await recordChange(tx, actor, {
    action: "key_request.offered",
    object_id: id,
    detail: { offer_id: made.id, terms, expires_at },
    personal: personalWords({ reason, message }),
    names: await namesOfRequest(tx, org_id, row),
  });
}

/** Offers what all approvals of a request in steps come to, where a person offered less. */
export async function offerTotal(
  tx: Tx,
  { actor, id, row, total, reason }: {
    actor: Actor;
    id: string;
    row: StoredTexts;
    total: Total;
    reason: string | null;
  },
): Promise<void> {
  const { now } = actor;
  const made = {
    id: newId(now),
    expires_at: toTimestamp(now + (total.offer_ms ?? 0)),
    terms: total.terms ?? NOTHING_ELSE,
    reason,
    message: total.message,
  };
  await keepOffer(tx, actor, { id, row, made });
}

/** The only address to which an offer's link is mailed, as stored; "": none. */
async function addressFor(tx: Tx, org_id: string, id: string): Promise<string> {
  const known = await findDeveloperEmail(tx, org_id, id);
  if (!known || known.email === "" || !isProved(known.proof)) return "";
  return offerAddress(tx.sealer, known.email);
}

/** Sets what is offered; null: nothing. Throws `already_decided`. */
export async function changeOffer(
  tx: Tx,
  { org_id }: Actor,
  { id, offer }: { id: string; offer: Offer | null },
): Promise<void> {
  const text = offer && JSON.stringify(offer);
  if (!await setOffer(tx, { org_id, id, offer: text })) throw new Failure("already_decided");
}
