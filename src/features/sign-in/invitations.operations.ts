import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { mailKind } from "../../contract/mail-kinds.ts";
import { nullable } from "../../contract/v1.ts";
import { idsWithCommas, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { isSecureCall, requireSameOrigin, sessionCookie } from "../../http/session-cookie.ts";
import { Answer } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { newAccessToken } from "../people/access-token.ts";
import { oneTimeCodeInput } from "../people/one-time-codes.contract.ts";
import { findOrganisation } from "../people/organisations.store.ts";
import { grantMembers, isGrant, nameInput, NO_GRANT } from "../people/people.contract.ts";
import { administrationOf } from "../people/people.service.ts";
import { findPerson } from "../people/people.store.ts";
import { invitationLink, INVITED } from "../people/person-invitation.ts";
import {
  findInvitationByHash,
  type PersonInvitationRow,
} from "../people/person-invitations.store.ts";
import { besideCode } from "../people/second-factor.service.ts";
import { session } from "../people/sessions.contract.ts";
import { begin, type Begun, noteSecond, type SigningBrowser } from "../people/sessions.service.ts";
import { findSecondFactorRule, findTokensRule } from "../people/sign-in-rules.store.ts";
import { browserOf } from "../people/signing-browser.ts";
import { missingForMail } from "../notifications/missing-for-mail.ts";
import { areLinksMailed } from "../notifications/recipients.transactions.ts";
import {
  inviteAgain,
  invitePerson as invitePersonChange,
  type MadeInvitation,
  withdrawInvitation,
} from "./invitations.transactions.ts";
import { findSignInFacts } from "./sign-ins.store.ts";

/** The text of the link in examples. */
export const exampleInvitation = "TEXT-OF-THE-LINK-THAT-SOMEBODY-WAS-SENT";

const invitationMembers = {
  person_id: text,
  mailed_to: nullable(text).meta({
    description: "The address that the link is mailed to; null: it is in `link` alone.",
  }),
  link: nullable(text).meta({
    description: "To pass on, where nothing is mailed: it is shown this once. Null: it is mailed.",
  }),
  expires_at: timestamp,
};

/** An invitation as anyone who makes it sees it. */
export const madeInvitation = z.strictObject(invitationMembers).meta({ id: "PersonInvitation" });

const address = z.string().trim().max(254).refine(
  (given) => problemOfAddress(given) === undefined,
  { error: "expected an e-mail address such as grace@example.org" },
);

/** A person and their invitation in one. */
export const invitePerson = operation({
  id: "invitePerson",
  method: "POST",
  path: "/v1/people/invitations",
  tag: "People",
  summary: "Add a person and invite them in one: a link that lets them in once, within three days",
  description:
    "The link is mailed if a mail channel sends the mail `person.invited` and the server's settings allow it; else it is in the answer. Its token is kept as its SHA-256, and if it is mailed, sealed while it is unused. Opening it does not use it: only `POST /v1/invitations/accept` does.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({ name: nameInput, ...grantMembers, email: address })
    .refine(isGrant, NO_GRANT)
    .meta({ id: "PersonInvitationInput" }),
  idempotent: true,
  response: madeInvitation,
  errors: [...bodyErrors, "permission_not_held", "unknown_role"],
  example: { name: "Grace", permissions: ["portal:read", "approve"], email: "grace@example.org" },
  async serve(ctx, { body: person, idempotency }) {
    const input = await inviting(ctx, idempotency);
    return serialize(ctx, await ctx.storage.commit(invitePersonChange, { ...input, person }));
  },
});

/** Again, or for a person who is known. */
export const invitePersonAgain = operation({
  id: "invitePersonAgain",
  method: "POST",
  path: "/v1/people/{id}/invitation",
  tag: "People",
  summary: "Invite a known person, or invite them again; an earlier link is invalid",
  description:
    "For people who lost their passkey, too. You can't invite a person who has more permissions than you.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  response: madeInvitation,
  errors: ["not_found", "person_deactivated", "person_suspended", "person_holds_more"],
  async serve(ctx, { params: { id }, idempotency }) {
    const input = await inviting(ctx, idempotency);
    return serialize(ctx, await ctx.storage.commit(inviteAgain, { ...input, id }));
  },
});

/** Taken back. */
export const withdrawPersonInvitation = operation({
  id: "withdrawPersonInvitation",
  method: "DELETE",
  path: "/v1/people/{id}/invitation",
  tag: "People",
  summary: "Withdraw a person's invitation; who has no other way in is deactivated with it",
  description: "People who have accepted it stay.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({
    withdrawn: z.literal(true),
    deactivated: z.boolean().meta({ description: "True: the person had no other way in." }),
  }).meta({ id: "PersonInvitationWithdrawn" }),
  errors: ["not_found"],
  serve: async (ctx, { params }) => ({
    withdrawn: true as const,
    deactivated: await withdraw(ctx, params.id),
  }),
});

const invitation = z.string().trim().min(1).max(128);

const personInvitationPreview = z.strictObject({
  name: text,
  email: nullable(text),
  organisation: text,
  expires_at: timestamp,
  tokens: z.boolean().meta({
    description: "True: an access token may be taken with it, to sign in with later.",
  }),
  second_factor: z.boolean().meta({
    description:
      "True: an access token alone will not sign in: one-time codes are to be set up with it.",
  }),
}).meta({ id: "PersonInvitationPreview" });

/** Shows an invitation before it is used. */
export const previewPersonInvitation = operation({
  id: "previewPersonInvitation",
  method: "POST",
  path: "/v1/invitations/preview",
  tag: "Sign-in",
  summary: "Read what an invitation says; it lets in as before",
  description: "An unknown one answers like one that is over, used or withdrawn.",
  permission: "public",
  body: z.object({ invitation }).meta({ id: "PersonInvitationRead" }),
  response: personInvitationPreview,
  errors: [...bodyErrors, "not_found", "csrf_refused", "too_many_requests"],
  example: { invitation: exampleInvitation },
  serve(ctx, call) {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    return preview(ctx, call.body.invitation, ctx.clientAddresses.of(call));
  },
});

/** In by it. */
export const acceptPersonInvitation = operation({
  id: "acceptPersonInvitation",
  method: "POST",
  path: "/v1/invitations/accept",
  tag: "Sign-in",
  summary: "Sign a browser in by an invitation, once; sets the session's cookie",
  description:
    "Within the next five minutes the session adds a passkey, which signs in from then on. With `take_token` an access token is made too, for people without passkeys; it is shown this once. A person with one-time codes gives one beside the invitation, which is used by that alone.",
  permission: "public",
  body: z.object({
    invitation,
    take_token: z.boolean().default(false),
    one_time_code: oneTimeCodeInput.optional(),
  })
    .meta({ id: "PersonInvitationAcceptance" }),
  answerHeaders: {
    "set-cookie":
      "The browser's session: `__Host-keydesk` over https, else `keydesk_session`; HttpOnly, SameSite=Strict.",
  },
  response: z.strictObject({ session, access_token: nullable(text) })
    .meta({ id: "PersonInvitationAccepted" }),
  errors: [
    ...bodyErrors,
    "not_authorised",
    "csrf_refused",
    "sign_in_by_token_off",
    "one_time_code_required",
    "one_time_code_refused",
    "too_many_requests",
  ],
  example: { invitation: exampleInvitation },
  async serve(ctx: RequestContext, call) {
    // Else another site could sign its visitor in as a person of its choice.
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const accepted = await accept(ctx, call.body, browserOf(ctx, call));
    const { session, secret, lifeMs, access_token } = accepted;
    const cookie = sessionCookie(secret, lifeMs, isSecureCall(ctx, call));
    return new Answer({ session, access_token }, { "set-cookie": cookie });
  },
});

const MOST = 100;

const signInList = z.strictObject({
  data: z.array(z.strictObject({
    person_id: text,
    signs_in_by: z.array(z.enum(["passkey", "provider", "token"])).meta({
      description: "`token`: an access token in force, where people sign in by these.",
    }),
    one_time_codes: z.boolean().meta({
      description: "True: they give a one-time code beside an access token.",
    }),
    last_seen_at: nullable(timestamp).meta({
      description: "The last call by an access token or a session, to the minute.",
    }),
    invited_until: nullable(timestamp).meta({
      description: "Until when their invitation is valid; null: there is none.",
    }),
  })),
}).meta({ id: "SignInList" });

/** How people get in. */
export const listSignIns = operation({
  id: "listSignIns",
  method: "GET",
  path: "/v1/people/sign-ins",
  tag: "People",
  summary: "Tell how people sign in, when they were last seen, and who is invited",
  description: "Unknown people are left out.",
  permission: ["admin:read"],
  query: z.object({
    ids: idsWithCommas(MOST, 64).meta({
      description: "Ids of people, 100 at the most and of 64 characters, with commas between them.",
      example: "65b0c1d2e3f4a5b6c7d8e9f2",
    }),
  }),
  response: signInList,
  errors: ["invalid_input"],
  async serve(ctx, { query: { ids } }) {
    const { storage: { reader }, clock, principal: { org_id } } = ctx;
    const now = toTimestamp(clock.now());
    const bySecret = await findTokensRule(reader, { org_id }) !== 0;
    const withCode = await findSecondFactorRule(reader, { org_id }) === 1;
    const data: z.output<typeof signInList>["data"] = [];
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
  },
});

type View = z.output<typeof madeInvitation>;

/** Letters and digits of a link: 256 bits. */
const LENGTH = 43;

async function inviting(ctx: RequestContext, idempotency: Idempotency) {
  const administration = administrationOf(ctx);
  const { actor: { org_id, now } } = administration;
  const isMailed = (await missingForMail(ctx)).length === 0 &&
    await areLinksMailed(ctx.storage.reader, org_id, mailKind(INVITED));
  return {
    ...administration,
    text: randomAlphanumeric(LENGTH),
    isMailed,
    idempotency: idempotentCall(ctx.principal, now, idempotency),
  };
}

function serialize({ settings }: RequestContext, made: MadeInvitation): View {
  const { person_id, mailed_to, text, expires_at } = made;
  const link = text === null ? null : invitationLink(settings.publicUrl, text);
  return { person_id, mailed_to, link, expires_at };
}

/** Withdraws one; true: the person is deactivated with it. Throws `not_found`. */
async function withdraw(ctx: RequestContext, id: string): Promise<boolean> {
  return await changeBy(ctx, withdrawInvitation, { id });
}

/** The preview of an invitation. Throws `not_found`, `too_many_requests`. */
async function preview(
  ctx: RequestContext,
  text: string,
  address: string | undefined,
): Promise<z.output<typeof personInvitationPreview>> {
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
async function accept(
  ctx: RequestContext,
  input: { invitation: string; take_token: boolean; one_time_code?: string | undefined },
  from: SigningBrowser,
): Promise<Begun & { access_token: string | null }> {
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
    const owner = { org_id, user_id };
    const begun = await besideCode(ctx, owner, beside, () => begin(ctx, presented, from));
    return { ...begun, access_token: credential };
  } catch (error) {
    noteSecond(ctx, error, ACCEPT);
    throw error;
  }
}

const ACCEPT = "/v1/invitations/accept";
