import type { Actor } from "../../changes/audit.ts";
import { addToOutbox } from "../../changes/outbox.ts";
import { hasMailChannel } from "../../changes/outbox.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import { namesOfDeveloper } from "./developer-names.ts";
import { type Developer, emailKey } from "./developer.ts";
import {
  addressKey,
  changedEmail,
  EMAIL_ASKED,
  emailLinkEnd,
  emailLinkHash,
  emailLinkPlace,
  emailProofOf,
  isProved,
  type NewEmailLink,
  type NewEmailLinks,
  ownerBefore,
} from "./email-proof.ts";
import {
  closeEmailLinks,
  closeEmailSide,
  type EmailLinkRow,
  findEmailProof,
  insertEmailLink,
  putEmailProof,
} from "./email-proof.store.ts";
import { putVerifiedEmail } from "./verified-emails.store.ts";

/** The owner of an account with another address: the same developer, or a successor. */
export type EmailOwner = "same_person" | "successor";

/**
 * Keeps a new address of a developer whom this transaction has locked: it is unverified, a
 * confirmation is mailed to it, and the previous address is notified. Does nothing if it is the
 * same. `account`: the owner of the account with that address, if a person was asked.
 */
export async function noteChangedEmail(
  tx: Tx,
  actor: Actor,
  before: Developer,
  after: Developer,
  links: NewEmailLinks,
  account?: EmailOwner,
): Promise<void> {
  const { org_id, now } = actor;
  const { id } = after;
  const known = emailProofOf(await findEmailProof(tx, { org_id, id }), before.email);
  const changed = changedEmail(known, { before: before.email, after: after.email });
  if (!changed) return;
  if (account === "successor" && !isProved(changed)) changed.cause = "successor";
  const at = toTimestamp(now);
  await putEmailProof(tx, {
    org_id,
    id,
    ...changed,
    address: addressKey(after.email),
    changed_at: at,
    changed_by: actor.user_id,
    asked_at: at,
  });
  await closeEmailLinks(tx, { org_id, developer_id: id });
  const { state, cause } = changed;
  await recordChange(tx, actor, {
    action: "developer.email_changed",
    object_id: id,
    detail: { state, cause, ...account === undefined ? {} : { account } },
    personal: before.email === "" ? undefined : { "/before": before.email },
    names: namesOfDeveloper(after),
  });
  if (isProved(changed)) return;
  // A former owner of the account agrees to nothing of it.
  if (ownerBefore(changed) !== "") await keepEmailLink(tx, actor, { id, side: "old" }, links.old);
  await askEmail(tx, actor, id, links.new);
}

/**
 * Keeps of a developer who was registered just now that keys named their id before: those are not
 * theirs until a person says so. Without links no one is asked anything.
 */
export async function noteRegisteredAnew(
  tx: Tx,
  actor: Actor,
  { id, email }: Developer,
  links?: NewEmailLinks,
): Promise<void> {
  const { org_id, now } = actor;
  const at = toTimestamp(now);
  await putEmailProof(tx, {
    org_id,
    id,
    state: "unproved",
    cause: "anew",
    address: addressKey(email),
    previous: "",
    changed_at: at,
    changed_by: actor.user_id,
    asked_at: at,
  });
  await closeEmailLinks(tx, { org_id, developer_id: id });
  if (links && email.trim() !== "") await askEmail(tx, actor, id, links.new);
}

/** Asks an address for its confirmation by a fresh link, in the place of the one before. */
export async function askEmail(
  tx: Tx,
  actor: Actor,
  id: string,
  link: NewEmailLink,
): Promise<void> {
  await closeEmailSide(tx, { org_id: actor.org_id, developer_id: id, side: "new" });
  await keepEmailLink(tx, actor, { id, side: "new" }, link);
  await addToOutbox(tx, actor, { topic: EMAIL_ASKED, object_id: id });
}

async function keepEmailLink(
  tx: Tx,
  { org_id, now }: Actor,
  { id: developer_id, side }: { id: string; side: EmailLinkRow["side"] },
  { id, token }: NewEmailLink,
): Promise<void> {
  // No one else would ever see it.
  if (!await hasMailChannel(tx, { org_id })) return;
  await insertEmailLink(tx, {
    org_id,
    id,
    developer_id,
    side,
    hash: emailLinkHash(token),
    link: tx.sealer.seal(emailLinkPlace(org_id, id), token),
    expires_at: emailLinkEnd(now),
  });
}

/** Keeps that a code or a link that was mailed to a developer's address came back from there. */
export async function noteVerifiedEmail(
  tx: Tx,
  org_id: string,
  { id, email }: Developer,
  now: number,
): Promise<void> {
  await putVerifiedEmail(tx, {
    org_id,
    id,
    email_key: emailKey(email),
    address: addressKey(email),
    verified_at: toTimestamp(now),
  });
}
