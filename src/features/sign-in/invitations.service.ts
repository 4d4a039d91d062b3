import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { mailKind } from "../../contract/mail-kinds.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { newAccessToken } from "../access/access-token.ts";
import { findOrganisation } from "../access/organisations.store.ts";
import { administrationOf } from "../access/people.service.ts";
import { findPerson } from "../access/people.store.ts";
import type { PersonInput } from "../access/people.transactions.ts";
import { invitationLink, INVITED } from "../access/person-invitation.ts";
import {
  findInvitationByHash,
  type PersonInvitationRow,
} from "../access/person-invitations.store.ts";
import { besideCode } from "../access/second-factor.service.ts";
import { begin, type Begun, noteSecond, type SigningBrowser } from "../access/sessions.service.ts";
import { findSecondFactorRule, findTokensRule } from "../access/sign-in-rules.store.ts";
import { missingForMail } from "../deliveries/missing-for-mail.ts";
import { areLinksMailed } from "../deliveries/recipients.transactions.ts";
import type {
  listSignIns,
  madeInvitation,
  previewPersonInvitation,
} from "./invitations.contract.ts";
import {
  inviteAgain,
  invitePerson,
  type MadeInvitation,
  withdrawInvitation,
} from "./invitations.transactions.ts";
import { findSignInFacts } from "./sign-ins.store.ts";

type Shown = z.output<typeof madeInvitation>;

/** Letters and digits of a link: 256 bits. */
const LENGTH = 43;

/** Adds a person and invites them. Throws `permission_not_held`. */
export async function invite(
  ctx: RequestContext,
  person: PersonInput & { email: string },
  idempotency: Idempotency,
): Promise<Shown> {
  const input = await inviting(ctx, idempotency);
  return show(ctx, await ctx.storage.commit(invitePerson, { ...input, person }));
}

/** Invites somebody who is known. Throws what the endpoint lists. */
export async function again(
  ctx: RequestContext,
  id: string,
  idempotency: Idempotency,
): Promise<Shown> {
  const input = await inviting(ctx, idempotency);
  return show(ctx, await ctx.storage.commit(inviteAgain, { ...input, id }));
}

async function inviting(ctx: RequestContext, idempotency: Idempotency) {
  const administration = administrationOf(ctx);
  const { actor: { org_id, now } } = administration;
  const isMailed = missingForMail(ctx).length === 0 &&
    await areLinksMailed(ctx.storage.reader, org_id, mailKind(INVITED));
  return {
    ...administration,
    text: randomAlphanumeric(LENGTH),
    isMailed,
    idempotency: idempotentCall(ctx.principal, now, idempotency),
  };
}

function show({ settings }: RequestContext, made: MadeInvitation): Shown {
  const { person_id, mailed_to, text, expires_at } = made;
  const link = text === null ? null : invitationLink(settings.publicUrl, text);
  return { person_id, mailed_to, link, expires_at };
}

/** Withdraws one; true: the person is deactivated with it. Throws `not_found`. */
export async function withdraw(ctx: RequestContext, id: string): Promise<boolean> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(withdrawInvitation, { actor, id });
}

/** What an invitation says. Throws `not_found`, `too_many_requests`. */
export async function preview(
  ctx: RequestContext,
  text: string,
  address: string | undefined,
): Promise<z.output<typeof previewPersonInvitation.response>> {
  const { storage: { reader } } = ctx;
  const row = await openInvitation(ctx, text);
  const person = row && await findPerson(reader, row);
  if (!row || !person || person.deactivated_at !== null || person.suspended_at !== null) {
    throw ctx.attempts.failed("access", { address }) ?? new Failure("not_found");
  }
  const { org_id, expires_at } = row;
  const organisation = await findOrganisation(reader, { org_id });
  return {
    name: person.name,
    email: person.email,
    organisation: organisation?.name ?? "",
    expires_at,
    tokens: await findTokensRule(reader, { org_id }) !== 0,
    second_factor: await findSecondFactorRule(reader, { org_id }) === 1,
  };
}

async function openInvitation(
  { storage: { reader }, clock }: RequestContext,
  text: string,
): Promise<PersonInvitationRow | undefined> {
  return await findInvitationByHash(reader, { hash: sha256(text), now: toTimestamp(clock.now()) });
}

/**
 * Signs in by an invitation, and gives an access token where one is taken. Throws `not_authorised`,
 * `sign_in_by_token_off`, `too_many_requests`, `one_time_code_required`, `one_time_code_refused`.
 */
export async function accept(
  ctx: RequestContext,
  input: { invitation: string; take_token: boolean; one_time_code?: string | undefined },
  from: SigningBrowser,
): Promise<Begun & { credential: string | null }> {
  const row = await openInvitation(ctx, input.invitation);
  if (!row) {
    const failure = ctx.attempts.failed("access", { address: from.counted }) ??
      new Failure("not_authorised");
    const limited = failure.code === "too_many_requests";
    ctx.notes.refusedSignIn(ctx.principal, { path: ACCEPT, by: "invitation", limited });
    throw failure;
  }
  const { org_id, id: user_id } = row;
  const { take_token, one_time_code = null } = input;
  if (take_token && await findTokensRule(ctx.storage.reader, { org_id }) === 0) {
    throw new Failure("sign_in_by_token_off");
  }
  const credential = take_token ? newAccessToken() : null;
  const issue = credential === null ? null : { credential, lifeMs: ctx.settings.longestTokenMs };
  const beside = { code: one_time_code, address: from.counted };
  const presented = { invitation: row.hash, issue, one_time_code };
  try {
    const whose = { org_id, user_id };
    const begun = await besideCode(ctx, whose, beside, () => begin(ctx, presented, from));
    return { ...begun, credential };
  } catch (error) {
    noteSecond(ctx, error, ACCEPT);
    throw error;
  }
}

const ACCEPT = "/v1/invitations/accept";

/** How people get in, in the order of the ids. */
export async function listSignInsOf(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<z.output<typeof listSignIns.response>> {
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const now = toTimestamp(clock.now());
  const bySecret = await findTokensRule(reader, { org_id }) !== 0;
  const withCode = await findSecondFactorRule(reader, { org_id }) === 1;
  const data: z.output<typeof listSignIns.response>["data"] = [];
  for (const id of ids) {
    const facts = await findSignInFacts(reader, { org_id, id, now });
    if (!facts) continue;
    const hasCodes = facts.one_time_codes > 0;
    const signsInByToken = facts.tokens > 0 && bySecret && (hasCodes || !withCode);
    data.push({
      person_id: facts.id,
      signs_in_by: [
        ...facts.passkeys > 0 ? ["passkey" as const] : [],
        ...facts.identities > 0 ? ["provider" as const] : [],
        ...signsInByToken ? ["token" as const] : [],
      ],
      one_time_codes: hasCodes,
      last_seen_at: facts.last_seen_at,
      invited_until: facts.invited_until,
    });
  }
  return { data };
}
