import type { ActingCall, Actor } from "../../../changes/audit.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { hasMailChannel } from "../../../changes/outbox.store.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { mailKind } from "../../../contract/mail-kinds.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { lockLiveKeys } from "../../keys/end-keys.store.ts";
import { type HandOver, handOver, keysOfSuccessor } from "../../accounts/hand-over.transactions.ts";
import { areLinksMailed } from "../../notifications/recipients.transactions.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { type Developer, withIssuedKeys } from "../../developers/developer.ts";
import { requireLockedRevision } from "../../developers/locked-revision.transactions.ts";
import { lockDeveloper, updateDeveloper } from "../../developers/developers.store.ts";
import { askEmail, noteVerifiedEmail } from "../../developers/email-change.transactions.ts";
import {
  addressKey,
  EMAIL_ASKED,
  emailLinkHash,
  type EmailMove,
  type EmailProof,
  emailProofOf,
  type EmailState,
  isProved,
  movedEmail,
  type NewEmailLink,
} from "../../developers/email-proof.ts";
import {
  closeEmailLinks,
  closeEmailSide,
  findEmailLink,
  findEmailLinkOf,
  findEmailProof,
  putEmailProof,
} from "../../developers/email-proof.store.ts";

/**
 * Confirms by the token of a mailed link, and ends that: of two who open it at once, one does.
 * Throws `confirmation_gone`.
 */
export const confirmByLink = defineTransaction(
  "developer-emails.confirm-by-link",
  async (tx, input: { token: string; now: number; call?: ActingCall | undefined }) => {
    const { now, call } = input;
    const gone = new Failure("confirmation_gone");
    const link = await findEmailLink(tx, {
      hash: emailLinkHash(input.token),
      now: toTimestamp(now),
    });
    if (!link) throw gone;
    const { org_id, developer_id, side } = link;
    const developer = await lockDeveloper(tx, org_id, developer_id);
    if (!developer) throw gone;
    const known = emailProofOf(
      await findEmailProof(tx, { org_id, id: developer_id }),
      developer.email,
    );
    if (!await closeEmailSide(tx, { org_id, developer_id, side }) || isProved(known)) throw gone;
    // The holder of the link: an unknown person.
    const actor: Actor = { org_id, user_id: "email-link", token_id: "", now, call };
    const move = side === "new" ? "reach" : "agree";
    // The link was mailed to this address and nowhere else.
    if (side === "new") await noteVerifiedEmail(tx, org_id, developer, now);
    return { side, email_state: await confirm(tx, actor, developer, { known, move, by: side }) };
  },
);

/**
 * Confirms as a person who may approve, in the place of the address before; alone where no links
 * are mailed. Asks the address anew where its link is over. Says whose the account is, but where
 * that was said with the change. Throws `not_found`, `invalid_input`, `too_many_revoked`, and
 * `precondition_failed` where `email` is not theirs by now.
 */
export const confirmByPerson = defineTransaction(
  "developer-emails.confirm-by-person",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      email: string;
      ifMatch: string[] | null;
      /** Whether this server can send mails with links. */
      canMail: boolean;
      link: NewEmailLink;
      handing: HandOver;
      idempotency: IdempotentCall | null;
    },
  ): Promise<null> =>
    await once(tx, input.idempotency, async () => {
      const { actor, id, email, ifMatch, link, handing } = input;
      const { org_id } = actor;
      const developer = await lockDeveloper(tx, org_id, id);
      if (!developer) throw new Failure("not_found");
      await requireLockedRevision(tx, org_id, developer, ifMatch);
      if (addressKey(email) !== addressKey(developer.email)) {
        throw new Failure("precondition_failed");
      }
      const known = emailProofOf(await findEmailProof(tx, { org_id, id }), developer.email);
      if (isProved(known)) return null;
      const keys = keysOfSuccessor(handing, known.cause === "changed");
      if (keys !== undefined) {
        const row = await findEmailProof(tx, { org_id, id });
        if (row) await putEmailProof(tx, { ...row, cause: "successor" });
        known.cause = "successor";
        await closeEmailSide(tx, { org_id, developer_id: id, side: "old" });
      }
      const isAsked = input.canMail && developer.email.trim() !== "" &&
        await areLinksMailed(tx, org_id, ASKED);
      const state = await confirm(tx, actor, developer, {
        known,
        move: isAsked ? "agree" : "vouch",
        by: "person",
      });
      if (state === "agreed") await askAgain(tx, actor, developer, link);
      if (keys === undefined) return null;
      // As it is by now: confirming may have given it keys.
      const after = await lockDeveloper(tx, org_id, id);
      if (!after) throw new Failure("not_found");
      await handOver(tx, actor, after, { keys, ending: handing.ending });
      return null;
    }),
);

/**
 * Keeps that an address answered by a code that was mailed to it, in the place of its link; the one
 * before it has to agree as ever. The developer is held.
 */
export async function confirmReached(tx: Tx, actor: Actor, developer: Developer): Promise<void> {
  const { org_id } = actor;
  const { id } = developer;
  const known = emailProofOf(await findEmailProof(tx, { org_id, id }), developer.email);
  if (isProved(known)) return;
  await closeEmailSide(tx, { org_id, developer_id: id, side: "new" });
  await confirm(tx, actor, developer, { known, move: "reach", by: "new" });
}

const ASKED = mailKind(EMAIL_ASKED);

/** Asks an address again whose link is over, or was never made. */
async function askAgain(
  tx: Tx,
  actor: Actor,
  { id }: Developer,
  link: NewEmailLink,
): Promise<void> {
  const { org_id } = actor;
  const now = toTimestamp(actor.now);
  if (await findEmailLinkOf(tx, { org_id, developer_id: id, side: "new", now })) return;
  const row = await findEmailProof(tx, { org_id, id });
  if (row) await putEmailProof(tx, { ...row, asked_at: now });
  await askEmail(tx, actor, id, link);
}

/** Makes a move and gives the state after it. */
async function confirm(
  tx: Tx,
  actor: Actor,
  developer: Developer,
  { known, move, by }: { known: EmailProof; move: EmailMove; by: "new" | "old" | "person" },
): Promise<EmailState> {
  const { org_id } = actor;
  const { id, email } = developer;
  const { cause, changed_by, asked_at } = known;
  const state = movedEmail(move, known.state);
  if (state === known.state) return state;
  const isOver = isProved({ state });
  // It is needed only to notify that a successor has the account.
  const notifies = cause === "successor" && await hasMailChannel(tx, { org_id });
  await putEmailProof(tx, {
    org_id,
    id,
    state,
    cause,
    changed_by,
    asked_at,
    address: addressKey(email),
    previous: isOver && !notifies ? "" : known.previous,
    changed_at: known.changed_at ?? toTimestamp(actor.now),
  });
  await recordChange(tx, actor, {
    action: "developer.email_confirmed",
    object_id: id,
    detail: { by, state },
    names: namesOfDeveloper(developer),
  });
  if (isOver) {
    await closeEmailLinks(tx, { org_id, developer_id: id });
    if (cause === "anew") await giveOldKeys(tx, org_id, developer);
  }
  return state;
}

/**
 * Puts the keys from before a developer was registered under their id into their maps; newer ones
 * stay where they are.
 */
async function giveOldKeys(tx: Tx, org_id: string, developer: Developer): Promise<void> {
  const keys = await lockLiveKeys(tx, org_id, developer.id);
  // Of a rotated key the maps name the one that took over.
  const old = keys.filter(({ key_id, replaced_by }) =>
    replaced_by === null && !Object.hasOwn(developer.keys, key_id)
  );
  if (old.length === 0) return;
  const given = withIssuedKeys({ ...developer, keys: {}, subscriptions: {} }, old);
  await updateDeveloper(tx, org_id, {
    ...developer,
    keys: { ...given.keys, ...developer.keys },
    subscriptions: { ...given.subscriptions, ...developer.subscriptions },
  });
}
