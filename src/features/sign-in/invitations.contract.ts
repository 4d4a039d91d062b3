import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { idsWithCommas, text, timestamp } from "../../contract/values.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";
import { grantMembers, isGrant, nameInput, NO_GRANT } from "../access/people.contract.ts";
import { oneTimeCodeInput } from "../access/one-time-codes.contract.ts";
import { session } from "../access/sessions.contract.ts";

/** What the link of examples holds. */
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

/** An invitation as whoever makes it sees it. */
export const madeInvitation = z.strictObject(invitationMembers).meta({ id: "PersonInvitation" });

const address = z.string().trim().max(254).refine(
  (given) => problemOfAddress(given) === undefined,
  { error: "expected an e-mail address such as grace@example.org" },
);

/** A person and their invitation in one. */
export const invitePerson = defineEndpoint({
  id: "invitePerson",
  method: "POST",
  path: "/v1/people/invitations",
  tag: "People",
  summary: "Add a person and invite them in one: a link that lets them in once, within three days",
  description:
    "The link is mailed where a mail target sends the mail `person.invited` and the server's settings let it; else it stands in the answer. What it holds is kept as its SHA-256, and where it is mailed sealed, while it is open. Opening it is no use of it: only `POST /v1/invitations/accept` is.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({ name: nameInput, ...grantMembers, email: address })
    .refine(isGrant, NO_GRANT)
    .meta({ id: "PersonInvitationInput" }),
  idempotent: true,
  response: madeInvitation,
  errors: [...bodyErrors, "permission_not_held", "unknown_role"],
  example: { name: "Grace", permissions: ["portal:read", "approve"], email: "grace@example.org" },
});

/** Again, or for somebody who is known. */
export const invitePersonAgain = defineEndpoint({
  id: "invitePersonAgain",
  method: "POST",
  path: "/v1/people/{id}/invitation",
  tag: "People",
  summary: "Invite a person who is known, or invite them again; a link before it lets nobody in",
  description:
    "For people who lost their passkey, too. Nobody invites a person who holds more than they do.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  response: madeInvitation,
  errors: ["not_found", "person_deactivated", "person_suspended", "person_holds_more"],
});

/** Taken back. */
export const withdrawPersonInvitation = defineEndpoint({
  id: "withdrawPersonInvitation",
  method: "DELETE",
  path: "/v1/people/{id}/invitation",
  tag: "People",
  summary: "Withdraw a person's invitation; who has no other way in is deactivated with it",
  description: "Whoever accepted it already stays.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({
    withdrawn: z.literal(true),
    deactivated: z.boolean().meta({ description: "True: the person had no other way in." }),
  }).meta({ id: "PersonInvitationWithdrawn" }),
  errors: ["not_found"],
});

const invitation = z.string().trim().min(1).max(128);

/** What an invitation says, before it is used. */
export const previewPersonInvitation = defineEndpoint({
  id: "previewPersonInvitation",
  method: "POST",
  path: "/v1/invitations/preview",
  tag: "Sign-in",
  summary: "Read what an invitation says; it lets in as before",
  description: "An unknown one answers like one that is over, used or withdrawn.",
  permission: "public",
  body: z.object({ invitation }).meta({ id: "PersonInvitationRead" }),
  response: z.strictObject({
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
  }).meta({ id: "PersonInvitationPreview" }),
  errors: [...bodyErrors, "not_found", "csrf_refused", "too_many_requests"],
  example: { invitation: exampleInvitation },
});

/** In by it. */
export const acceptPersonInvitation = defineEndpoint({
  id: "acceptPersonInvitation",
  method: "POST",
  path: "/v1/invitations/accept",
  tag: "Sign-in",
  summary: "Sign a browser in by an invitation, once; sets the session's cookie",
  description:
    "Within the next five minutes the session adds a passkey, which signs in from then on. With `take_token` an access token is made too, for who has no passkeys; it is shown this once. Whoever has one-time codes gives one beside the invitation, which is used by that alone.",
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
  response: z.strictObject({ session, credential: nullable(text) })
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
});

const MOST = 100;

/** How people get in. */
export const listSignIns = defineEndpoint({
  id: "listSignIns",
  method: "GET",
  path: "/v1/people/sign-ins",
  tag: "People",
  summary: "Tell how people sign in, when they were last seen, and who is invited",
  description: "Of people that there are not there is none.",
  permission: ["admin:read"],
  query: z.object({
    ids: idsWithCommas(MOST, 64).meta({
      description: "Ids of people, 100 at the most and of 64 characters, with commas between them.",
      example: "65b0c1d2e3f4a5b6c7d8e9f2",
    }),
  }),
  response: z.strictObject({
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
        description: "Until when their invitation lets them in; null: there is none.",
      }),
    })),
  }).meta({ id: "SignInList" }),
  errors: ["invalid_input"],
});
