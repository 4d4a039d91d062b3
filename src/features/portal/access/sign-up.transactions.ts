import type { Actor } from "../../../changes/audit.ts";
import { developerActor } from "../../../calls/principal.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../storage/storage.ts";
import { newAccount } from "../../accounts/account.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { type Developer, emailKey } from "../../developers/developer.ts";
import { addressKey } from "../../developers/email-proof.ts";
import { insertDeveloper } from "../../developers/developers.store.ts";
import { putChoices } from "../../developers/developer-choices.store.ts";
import { findInvitation, useInvitation } from "../../developers/developer-invitations.store.ts";
import { invitedSince } from "../../developers/invitation.ts";
import { pagesOf } from "./developer-pages.ts";
import type { NewDeveloperSession } from "./open-session.transactions.ts";
import type { PendingAccount } from "./pending-account.ts";
import { linkAtSignUp } from "./provider-sign-in.transactions.ts";

/**
 * As what anyone who has this address may become a developer of the organisation by themselves;
 * undefined: they may not.
 */
export async function signsUpAs(
  tx: Tx,
  org_id: string,
  email: string,
  now: number,
): Promise<"invited" | "stranger" | undefined> {
  const { sign_up, mail_domains } = await pagesOf(tx, org_id);
  const invitation = await findInvitation(tx, {
    org_id,
    email_key: emailKey(email),
    since: invitedSince(now),
  });
  // As mail servers tell addresses apart: a letter that only folds into another one is another
  // mailbox, perhaps at another domain.
  const address = addressKey(email);
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const isInvited = invitation !== undefined && addressKey(invitation.email) === address;
  if (isInvited && sign_up !== "closed") return "invited";
  const isOpen = sign_up === "open" || (sign_up === "domains" && mail_domains.includes(domain));
  return isOpen ? "stranger" : undefined;
}

/**
 * The developer who has shown by a code that an address reaches them; undefined: the rules have
 * changed since, or another person has the address by now.
 */
export async function signUp(
  tx: Tx,
  { org_id, email, language, fields, session, account }: {
    org_id: string;
    email: string;
    /** The language of the person who requested the code: mails are written in it. */
    language: string;
    fields: Record<string, string>;
    session: NewDeveloperSession;
    /** The account at a provider that they signed up with, and the id of its link. */
    account?: { account: PendingAccount; id: string } | undefined;
  },
): Promise<Developer | undefined> {
  const { now, call } = session;
  if (!await signsUpAs(tx, org_id, email, now)) return undefined;
  const identity = { id: newId(now), org_id };
  const developer = newAccount({ email: email.trim(), fields }, identity, {
    now,
    newPassword: false,
  });
  if (!await insertDeveloper(tx, org_id, developer)) throw new Failure("wrong_code");
  const { id } = developer;
  await useInvitation(tx, { org_id, email_key: emailKey(email), now: toTimestamp(now) });
  await putChoices(tx, { org_id, id, language, quota_mails: 1, end_mails: 1 });
  const actor: Actor = { org_id, user_id: developerActor(id), token_id: "", now, call };
  const names = namesOfDeveloper(developer);
  await recordChange(tx, actor, {
    action: "developer.created",
    object_id: id,
    detail: { by: "sign_up" },
    names,
  });
  if (account) await linkAtSignUp(tx, developer, { ...account, now, call });
  return developer;
}
