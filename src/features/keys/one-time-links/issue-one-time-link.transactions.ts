import type { Actor } from "../../../changes/audit.ts";
import { hasMailChannel } from "../../../changes/outbox.store.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import type { Tx } from "../../../storage/storage.ts";
import type { Reveal } from "../issue-key.transactions.ts";
import { findDeveloperEmail } from "../../developers/developer-email.store.ts";
import { isProved } from "../../developers/email-proof.ts";
import { type NewOneTimeLink, oneTimeLinkHash } from "./one-time-link.ts";
import { keepLink } from "./waiting-links.store.ts";
import { insertOneTimeLink } from "./one-time-links.store.ts";

/** The content of a one-time link: a key that was issued for a request, or an access token. */
type HandedOver =
  | { key_id: string; request_id: string; developer_id: string }
  | { access_token_id: string };

/**
 * Keeps a secret for anyone who opens the one-time link: encrypted under a key of the token, of
 * which the store has only the hash, and sealed. So neither a copy of the store nor the server
 * without the link can read it. The address that the developer has at this moment is the only one
 * to which its link is ever mailed; to none, while that is not proved.
 */
export async function issueOneTimeLink(
  tx: Tx,
  actor: Actor,
  order: { oneTimeLink: NewOneTimeLink; reveal: Reveal } & HandedOver,
): Promise<void> {
  const { oneTimeLink: { id, token, expires_at }, reveal } = order;
  const handed = "access_token_id" in order
    ? { key_id: "", request_id: "", access_token_id: order.access_token_id }
    : { key_id: order.key_id, request_id: order.request_id };
  const { org_id } = actor;
  const email = "developer_id" in order ? await addressFor(tx, org_id, order.developer_id) : "";
  const created_at = toTimestamp(actor.now);
  await insertOneTimeLink(tx, {
    org_id,
    id,
    ...handed,
    expires_at,
    created_at,
    email,
    hash: oneTimeLinkHash(token),
    created_by: actor.user_id,
    secret: tx.sealer.sealTwice(token, secretPlace(org_id, id), JSON.stringify(reveal)),
  });
  // Without its token no mail could carry the link, and no one who is to be mailed would learn of
  // it.
  if (email !== "" && handed.request_id !== "" && await hasMailChannel(tx, { org_id })) {
    const link = tx.sealer.seal(linkPlace(org_id, id), token);
    await keepLink(tx, { org_id, id, request_id: handed.request_id, link, expires_at });
  }
  const { key_id = "", request_id = "", ...others } = handed;
  const detail = { ...key_id === "" ? others : { key_request_id: request_id, key_id }, expires_at };
  await recordChange(tx, actor, {
    action: "claim.created",
    object_id: id,
    detail,
  });
}

/** The address to which a one-time link of this developer may be mailed; "": none. */
async function addressFor(tx: Tx, org_id: string, id: string): Promise<string> {
  const known = await findDeveloperEmail(tx, org_id, id);
  return known && isProved(known.proof) ? known.email : "";
}

/** The sealing context of a one-time link's token while it waits to be mailed. */
export function linkPlace(org_id: string, id: string) {
  return { table: "claim_links", org_id, id, column: "link" };
}

/** The sealing context of a one-time link's secret. */
export function secretPlace(org_id: string, id: string) {
  return { table: "claims", org_id, id, column: "secret" };
}
