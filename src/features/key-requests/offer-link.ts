/**
 * The link of an offer's mail. Its token names the offer and is signed with the server's key, so
 * nothing of it is stored; it does what it is for while that offer waits, and so once.
 */
import { Buffer } from "node:buffer";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { Connection } from "../../storage/storage.ts";
import { findDeveloperEmail } from "../developers/developer-email.store.ts";
import { addressKey, isProved, ownerBefore } from "../developers/email-proof.ts";
import type { Offer } from "./offer.ts";

/** Which offer a link is of. */
interface LinkedOffer {
  org_id: string;
  request_id: string;
  offer_id: string;
}

/** The actor of such a link in the audit log. */
export const OFFER_LINK = "offer-link";

/** The text that opens this offer. */
export function offerToken(sealer: Sealer, of: LinkedOffer): string {
  const named = namedBy(of);
  return `${Buffer.from(named).toString("base64url")}.${sealer.checksum(signed(named))}`;
}

/** Which offer a text opens; undefined: none that this server has signed. */
export function readOfferToken(sealer: Sealer, token: string): LinkedOffer | undefined {
  const dot = token.indexOf(".");
  const named = Buffer.from(token.slice(0, Math.max(dot, 0)), "base64url").toString("utf8");
  if (!sealer.isChecksumOf(signed(named), token.slice(dot + 1))) return undefined;
  // as: namedBy wrote exactly this, and no one else signs it.
  const [org_id, request_id, offer_id] = JSON.parse(named) as [string, string, string];
  return { org_id, request_id, offer_id };
}

/** The address of its page: the token is in the fragment, which browsers send to no one. */
export function offerLink(publicUrl: string, token: string): string {
  return `${publicUrl}/offer#${token}`;
}

/**
 * By what the one address is known to which an offer's link is mailed. It tells no one the address
 * who has not the server's key.
 */
export function offerAddress(sealer: Sealer, email: string): string {
  return sealer.blindIndex(`offer to ${addressKey(email)}`);
}

/**
 * Whether the address to which an offer's link was mailed is still its developer's: while a new one
 * is not proved, that is the one before.
 */
export async function isTheirs(
  db: Connection,
  sealer: Sealer,
  { org_id, developer_id }: { org_id: string; developer_id: string },
  { to }: Offer,
): Promise<boolean> {
  const known = await findDeveloperEmail(db, org_id, developer_id);
  if (!known || !to) return false;
  const email = isProved(known.proof) ? known.email : ownerBefore(known.proof);
  return email !== "" && offerAddress(sealer, email) === to;
}

function namedBy({ org_id, request_id, offer_id }: LinkedOffer): string {
  return JSON.stringify([org_id, request_id, offer_id]);
}

/** No row's checksum is made of such a text. */
function signed(named: string): string {
  return `link of an offer\0${named}`;
}
