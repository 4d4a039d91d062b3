import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { timestamp } from "../../contract/values.ts";
import { ownPasskey } from "../access/passkeys.contract.ts";
import { ownIdentity } from "../identity/provider-sign-in.contract.ts";

const tag = "People";

/** By what somebody else gets in. */
export const listWaysIn = defineEndpoint({
  id: "listWaysIn",
  method: "GET",
  path: "/v1/people/{id}/ways-in",
  tag,
  summary:
    "List a person's passkeys and accounts at identity providers, the oldest first, and their one-time codes",
  description: "Their access tokens are at `GET /v1/people/{id}/credentials`.",
  permission: ["admin:read"],
  response: z.strictObject({
    passkeys: z.array(ownPasskey),
    identities: z.array(ownIdentity),
    one_time_codes: nullable(
      z.strictObject({ set_up_at: timestamp, last_used_at: nullable(timestamp) }),
    ).meta({ description: "Null: they have none." }),
  }).meta({ id: "WaysIn" }),
  errors: ["not_found"],
});

/** One passkey less of somebody else. */
export const deletePersonPasskey = defineEndpoint({
  id: "deletePersonPasskey",
  method: "DELETE",
  path: "/v1/people/{id}/passkeys/{passkey_id}",
  tag,
  summary: "Remove a person's passkey, such as a lost one; their sessions by passkey end",
  description:
    "Its owner is mailed (`person.passkey_removed`). Nobody removes one of a person who holds more than they do.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), sessions_ended: z.int() })
    .meta({ id: "PersonPasskeyRemoved" }),
  errors: ["not_found", "person_holds_more", "last_administrator"],
});

/** No one-time codes any more. */
export const deletePersonOneTimeCodes = defineEndpoint({
  id: "deletePersonOneTimeCodes",
  method: "DELETE",
  path: "/v1/people/{id}/one-time-codes",
  tag,
  summary:
    "Remove a person's one-time codes, such as of a lost phone; their sessions by access token end",
  description:
    "Their recovery codes go with them, and their owner is mailed (`person.one_time_codes_removed`). Nobody removes those of a person who holds more than they do.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), sessions_ended: z.int() })
    .meta({ id: "PersonOneTimeCodesRemoved" }),
  errors: ["not_found", "person_holds_more", "last_administrator"],
});

/** One account less. */
export const deletePersonIdentity = defineEndpoint({
  id: "deletePersonIdentity",
  method: "DELETE",
  path: "/v1/people/{id}/identities/{identity_id}",
  tag,
  summary: "Unlink a person's account at an identity provider; sessions that began by it end",
  description:
    "Its owner is mailed (`person.account_unlinked`). The account by which a provider added its person stays: deactivate the person.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), sessions_ended: z.int() })
    .meta({ id: "PersonIdentityRemoved" }),
  errors: ["not_found", "person_holds_more", "added_by_provider"],
});
