import type { z } from "zod";
import { actorOf, callingDeveloper } from "../../../calls/principal.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Language } from "../../../kernel/languages.ts";
import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import type { AccountContext } from "../../accounts/developer-accounts.service.ts";
import { refuseWeakPassword } from "../../accounts/password-rules.ts";
import { findDeveloper, findPasswordOf } from "../../developers/developer-accounts.store.ts";
import { choicesOf } from "../../developers/developer-choices.ts";
import type { Developer } from "../../developers/developer.ts";
import { requireUsableEmail } from "../../developers/email-address.ts";
import { emailProofOf, newEmailLinks } from "../../developers/email-proof.ts";
import { findEmailProof } from "../../developers/email-proof.store.ts";
import { chooseMails, choosePassword, writeFields } from "./account.transactions.ts";
import type { myMails, myMailsInput, myProfile } from "./account.contract.ts";
import { isVerified } from "../../developers/is-verified.ts";
import { takeEmail } from "./own-email.transactions.ts";
import { pagesOf } from "./developer-pages.ts";
import type { codeTicket } from "./sign-in.contract.ts";
import { askCodeFor } from "./sign-in.service.ts";
import { requireSignUpFields, signUpFieldsIn } from "./sign-up-fields.ts";

type Profile = z.output<typeof myProfile>;

/** The developer who calls, as they may read it. */
export async function get(ctx: RequestContext): Promise<Profile> {
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const { id } = callingDeveloper(principal);
  const row = await findDeveloper(reader, { org_id, id });
  if (!row) throw new Failure("not_authorised");
  // as: the developers' store writes exactly this.
  const { email, fields, date_created } = JSON.parse(row.document) as Developer;
  const asked = await askedFields(ctx);
  const { state } = emailProofOf(await findEmailProof(reader, { org_id, id }), email);
  const offered = asked.flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return {
    id,
    email,
    email_state: state,
    fields: Object.fromEntries(offered),
    has_password: !!(await findPasswordOf(reader, { org_id, id }))?.password_hash,
    date_created,
  };
}

/** Replaces what sign-up asks for. Throws `access_denied` for a token, `invalid_input`. */
export async function setFields(
  ctx: RequestContext,
  fields: Record<string, string>,
): Promise<Profile> {
  const { actor, id } = ownAction(ctx);
  const asked = await askedFields(ctx);
  requireSignUpFields(fields, asked, (await get(ctx)).fields);
  await ctx.storage.commit(writeFields, { actor, id, fields, asked });
  return await get(ctx);
}

/** Which mails the developer gets who calls. */
export async function getMails(
  { storage: { reader }, principal }: RequestContext,
): Promise<z.output<typeof myMails>> {
  const { org_id } = principal;
  const { id } = callingDeveloper(principal);
  const { language, quota, ends: key_ends } = await choicesOf(reader, org_id, id);
  return { language, quota, key_ends, verified: await isVerified(reader, org_id, id) };
}

/** Keeps which mails they get. Throws `access_denied` for a token. */
export async function setMails(
  ctx: RequestContext,
  mails: z.output<NonNullable<typeof myMailsInput>>,
): Promise<z.output<typeof myMails>> {
  const { actor, id } = ownAction(ctx);
  await ctx.storage.commit(chooseMails, { actor, id, mails });
  return await getMails(ctx);
}

/**
 * Keeps in which language they are mailed, and nothing else. Throws `access_denied` for a token.
 */
export async function setLanguage(ctx: RequestContext, language: Language): Promise<void> {
  const { actor, id } = ownAction(ctx);
  await ctx.storage.commit(chooseMails, { actor, id, mails: { language } });
}

/**
 * Sets the password that the developer chose, and tells how many other sessions ended. Throws
 * `developer_refused`, `not_found` where the pages take none.
 */
export async function setPassword(ctx: AccountContext, password: string): Promise<number> {
  const { actor, id, session_id } = ownAction(ctx);
  if (!(await pagesOf(ctx.storage.reader, actor.org_id)).passwords) throw new Failure("not_found");
  await refuseWeakPassword(ctx, password, { org_id: actor.org_id, id });
  const password_hash = await ctx.passwords.hash(password);
  return await ctx.storage.commit(choosePassword, { actor, id, password_hash, session_id });
}

/**
 * Has a code mailed to an address that is to be the caller's; to no one where they asked for many
 * just now. Throws `access_denied` for a token, `invalid_input` for what is no address.
 */
export async function askEmailCode(
  ctx: RequestContext,
  email: string,
): Promise<z.output<typeof codeTicket>> {
  const { actor: { org_id }, id, session_id } = ownAction(ctx);
  requireUsableEmail(email);
  // Else anyone who signed up could have as many strangers written to as they name.
  const isFlood = ctx.attempts.failed("code", { address: `${org_id} ${id}` }) !== undefined;
  const change = { new_email: email, developer_id: id, session_id, isFlood };
  return await askCodeFor(ctx, org_id, change);
}

/** Takes the address to which the code was mailed. Throws `wrong_code`, `access_denied`. */
export async function setEmail(
  ctx: RequestContext,
  { ticket, code }: { ticket: string; code: string },
): Promise<Profile> {
  const { actor, id, session_id } = ownAction(ctx);
  const emailLinks = newEmailLinks(actor.now);
  const input = { actor, developer_id: id, session_id, ticket, code, emailLinks };
  if (!await ctx.storage.commit(takeEmail, input)) throw new Failure("wrong_code");
  return await get(ctx);
}

async function askedFields({ storage, principal: { org_id } }: RequestContext): Promise<string[]> {
  return signUpFieldsIn(await findConfiguration(storage.reader, { org_id }));
}

/**
 * The developer who changes their account, with their session. Throws `access_denied` for a token.
 */
function ownAction(ctx: RequestContext) {
  const { principal, clock } = ctx;
  if (!principal.session) throw new Failure("access_denied");
  const { id } = callingDeveloper(principal);
  return { actor: actorOf(principal, clock.now()), id, session_id: principal.session.id };
}
