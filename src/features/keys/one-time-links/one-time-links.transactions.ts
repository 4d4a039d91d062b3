import type { ActingCall, Actor } from "../../../changes/audit.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { isInForce } from "../../people/access-token.ts";
import { findAccessToken } from "../../people/access-tokens.store.ts";
import { beginAdministration } from "../../people/people.transactions.ts";
import { coverageOfActor, isSeenBy } from "../../plans/coverage.ts";
import { findKeyLife } from "../keys.store.ts";
import type { Reveal } from "../issue-key.transactions.ts";
import { handsOverAccess, oneTimeLinkHash } from "./one-time-link.ts";
import { findOneTimeLink, lockByHash, markClosed } from "./one-time-links.store.ts";
import { secretPlace } from "./issue-one-time-link.transactions.ts";

/**
 * Gives the secret of a one-time link and burns that, in one transaction: of two who open it at
 * once, one gets it. Throws `one_time_link_gone`, whatever the reason: a guesser learns nothing. A
 * key that is stopped burns nothing.
 */
export const openOneTimeLink = defineTransaction(
  "one-time-links.open",
  async (tx, input: { token: string; now: number; call?: ActingCall | undefined }) => {
    const { token } = input;
    const now = toTimestamp(input.now);
    const oneTimeLink = await lockByHash(tx, { hash: oneTimeLinkHash(token) });
    if (
      oneTimeLink?.state !== "open" || oneTimeLink.secret === null || oneTimeLink.expires_at <= now
    ) {
      throw new Failure("one_time_link_gone");
    }
    const { org_id, id, key_id, request_id, access_token_id, secret } = oneTimeLink;
    const about = access_token_id === ""
      ? await keyInForce(tx, oneTimeLink, now)
      : await accessTokenInForce(tx, oneTimeLink, input.now);
    // as: issueOneTimeLink sealed exactly this.
    const reveal = JSON.parse(
      tx.sealer.openTwice(token, secretPlace(org_id, id), secret),
    ) as Reveal;
    if (!await markClosed(tx, oneTimeLink, { state: "opened", at: now })) {
      throw new Failure("one_time_link_gone");
    }
    // The holder of the link: an unknown person.
    const { call } = input;
    const actor: Actor = { org_id, user_id: "claim-link", token_id: "", now: input.now, call };
    await recordChange(tx, actor, {
      action: "claim.opened",
      object_id: id,
      detail: access_token_id === "" ? { key_request_id: request_id, key_id } : { access_token_id },
    });
    return { reveal, ...about };
  },
);

/** The data of a key beside itself. Throws `one_time_link_gone` if it is not valid now. */
async function keyInForce(tx: Tx, oneTimeLink: { org_id: string; key_id: string }, now: string) {
  const { org_id, key_id } = oneTimeLink;
  const key = await findKeyLife(tx, { org_id, key_id });
  const isOver = key?.expires_at && key.expires_at <= now;
  if (key?.state !== "active" || isOver) throw new Failure("one_time_link_gone");
  // as: a key's plans are stored as an array of ids.
  return { key_id, plans: JSON.parse(key.plans) as string[] };
}

/** The data of an access token beside itself. Throws `one_time_link_gone` if it is not valid. */
async function accessTokenInForce(
  tx: Tx,
  oneTimeLink: { org_id: string; access_token_id: string },
  now: number,
) {
  const token = await findAccessToken(tx, {
    org_id: oneTimeLink.org_id,
    id: oneTimeLink.access_token_id,
  });
  if (!token || !isInForce(token, now)) throw new Failure("one_time_link_gone");
  const { id, name, expires_at } = token;
  return { key_id: "", plans: [], access_token: { id, name, expires_at } };
}

/**
 * Makes a one-time link open nothing any more; one of an access token for those alone who may
 * administer, also as a repeat. Throws `not_found`, `one_time_link_closed` and what
 * `beginAdministration` throws.
 */
export const withdrawOneTimeLink = defineTransaction(
  "one-time-links.withdraw",
  async (tx, input: { actor: Actor; id: string; idempotency: IdempotentCall | null }) => {
    const { actor, id } = input;
    const { org_id } = actor;
    const oneTimeLink = await findOneTimeLink(tx, { org_id, id });
    await requireSeen(tx, actor, oneTimeLink);
    if (oneTimeLink && handsOverAccess(oneTimeLink)) await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      if (!oneTimeLink) throw new Failure("not_found");
      const at = toTimestamp(actor.now);
      const isOver = oneTimeLink.expires_at <= at;
      if (isOver || !await markClosed(tx, { org_id, id }, { state: "withdrawn", at })) {
        throw new Failure("one_time_link_closed");
      }
      const { request_id, key_id, access_token_id } = oneTimeLink;
      await recordChange(tx, actor, {
        action: "claim.withdrawn",
        object_id: id,
        detail: handsOverAccess(oneTimeLink)
          ? { access_token_id }
          : { key_request_id: request_id, key_id },
      });
      return null;
    });
  },
  { withoutRoom: true },
);

/**
 * Throws `not_found` where the actor has a scope, and the one-time link hands over no key within
 * it.
 */
async function requireSeen(
  tx: Tx,
  actor: Actor,
  oneTimeLink: { key_id: string } | undefined,
): Promise<void> {
  const coverage = await coverageOfActor(tx, actor);
  if (!coverage) return;
  const { org_id } = actor;
  const key = oneTimeLink && await findKeyLife(tx, { org_id, key_id: oneTimeLink.key_id });
  if (!key || !isSeenBy(coverage, key)) throw new Failure("not_found");
}
