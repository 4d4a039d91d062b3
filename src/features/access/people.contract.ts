import { z } from "zod";
import { claimLink, deliver } from "../../contract/claim-link.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { line } from "../../contract/labels.ts";
import { leaked } from "../../contract/leak.ts";
import { pageOf } from "../../contract/paging.ts";
import { permissions } from "../../contract/permissions.ts";
import { entityTag, ifMatch, nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";

const tag = "People";

/** A name that people read: 1 to 100 characters, none of them a control character. */
export const nameInput = line(100).min(1);

/** Permissions to give. */
export const permissionsInput = z.array(z.enum(permissions)).max(permissions.length);

const personMembers = {
  id: text,
  name: text,
  permissions: z.array(z.enum(permissions)),
  state: z.enum(["active", "suspended", "deactivated"]),
  date_created: timestamp,
  deactivated_at: nullable(timestamp),
  suspended_at: nullable(timestamp),
  email: nullable(text).meta({ description: "Where they are written to; null: nowhere." }),
};

/** Somebody who holds access tokens: a person or a script. */
export const person = z.strictObject(personMembers).meta({ id: "Person" });

const personInput = z.object({
  name: nameInput,
  permissions: permissionsInput,
  email: z.string().trim().refine((text) => text === "" || problemOfAddress(text) === undefined, {
    error: "expected an e-mail address such as grace@example.org, or nothing",
  }).optional().meta({
    description: "Where they are written to; empty: nowhere. Absent: it stays as it is.",
  }),
})
  .meta({ id: "PersonInput" });

/** People of the organisation. */
export const listPeople = defineEndpoint({
  id: "listPeople",
  method: "GET",
  path: "/v1/people",
  tag,
  summary: "List people, newest first, those who left among them",
  description: "By cursor.",
  permission: ["admin"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(person).meta({ id: "PersonList" }),
  errors: ["invalid_input"],
});

/** A further person. */
export const createPerson = defineEndpoint({
  id: "createPerson",
  method: "POST",
  path: "/v1/people",
  tag,
  summary: "Add a person; nobody gives a permission that they don't hold",
  description: "A person does nothing by themselves: an access token is issued to them afterwards.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: personInput,
  idempotent: true,
  answerHeaders: entityTag,
  response: person,
  errors: [...bodyErrors, "permission_not_held"],
  example: {
    name: "Grace",
    permissions: ["portal:read", "approve"],
    email: "grace@example.org",
  },
});

/** One person. */
export const getPerson = defineEndpoint({
  id: "getPerson",
  method: "GET",
  path: "/v1/people/{id}",
  tag,
  summary: "Read one person",
  description: "With their permissions, and when they were deactivated.",
  permission: ["admin"],
  answerHeaders: entityTag,
  response: person,
  errors: ["not_found"],
});

/** Name and permissions. */
export const updatePerson = defineEndpoint({
  id: "updatePerson",
  method: "PUT",
  path: "/v1/people/{id}",
  tag,
  summary: "Replace a person's name, permissions and address; access tokens follow within a second",
  description:
    "Nobody gives a permission that they don't hold, takes one from whoever holds more, or changes their address, and the last administrator stays one. `If-Match` refuses what has changed since it was read.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: personInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: person,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "person_deactivated",
    "person_holds_more",
    "last_administrator",
    "precondition_failed",
  ],
  example: { name: "Grace", permissions: ["portal:write", "approve"] },
});

/** Somebody leaves. */
export const deletePerson = defineEndpoint({
  id: "deletePerson",
  method: "DELETE",
  path: "/v1/people/{id}",
  tag,
  summary:
    "Deactivate a person: their access tokens end within a second, the trail keeps their name",
  description: "The last administrator stays.",
  permission: ["admin"],
  needsFreshSignIn: true,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: person,
  errors: [
    "not_found",
    "person_deactivated",
    "person_holds_more",
    "last_administrator",
    "precondition_failed",
  ],
});

/** All access tokens of somebody, at once. */
export const suspendPerson = defineEndpoint({
  id: "suspendPerson",
  method: "POST",
  path: "/v1/people/{id}/suspend",
  tag,
  summary:
    "Suspend all access tokens and sessions of a person: they open nothing within a second, until they are resumed",
  description:
    "For one whose access tokens may be in wrong hands. Nothing is revoked: resuming lets all that has not ended open again.",
  permission: ["admin"],
  needsFreshSignIn: true,
  answerHeaders: entityTag,
  response: person,
  errors: [
    "not_found",
    "person_deactivated",
    "person_suspended",
    "person_holds_more",
    "last_administrator",
  ],
});

/** The same, lifted. */
export const resumePerson = defineEndpoint({
  id: "resumePerson",
  method: "POST",
  path: "/v1/people/{id}/resume",
  tag,
  summary: "Let a suspended person's access tokens and sessions open again what they did",
  description: "Sessions that have ended meanwhile stay ended.",
  permission: ["admin"],
  needsFreshSignIn: true,
  answerHeaders: entityTag,
  response: person,
  errors: ["not_found", "person_deactivated", "person_not_suspended", "person_holds_more"],
});

const accessTokenMembers = {
  id: text,
  person_id: text,
  name: text,
  state: z.enum(["active", "suspended", "expired", "revoked"]),
  permissions: z.array(z.enum(permissions)),
  scope: nullable(z.array(z.enum(permissions))),
  date_created: timestamp,
  expires_at: nullable(timestamp),
  revoked_at: nullable(timestamp),
  replaced_by: nullable(text),
  issued_by: nullable(text).meta({
    description: "Who issued it for somebody else: a person's id, or `operator`.",
  }),
  addresses: nullable(z.array(text)),
  ends_soon: z.boolean(),
  last_used_at: nullable(timestamp),
  last_used_from: nullable(text),
  leaked,
};

/** Networks to limit an access token to. */
export const addressesInput = z.array(z.string().trim().min(1).max(64)).max(50);

/** An access token, never its value. */
export const accessToken = z.strictObject(accessTokenMembers).meta({ id: "AccessCredential" });

/** An access token with its value, or with the link that hands it over; either is shown this once. */
export const issuedAccessToken = z.strictObject({
  ...accessTokenMembers,
  credential: nullable(text).meta({ description: "Null where a claim link hands it over." }),
  claim: nullable(claimLink),
}).meta({ id: "IssuedAccessCredential" });

const handOver = deliver.meta({
  description: "`claim`: a link that hands the access token over, once; the default for " +
    "somebody else's. `answer`: in this answer; the default for one's own.",
});

/** A person's access tokens. */
export const listPersonCredentials = defineEndpoint({
  id: "listPersonCredentials",
  method: "GET",
  path: "/v1/people/{id}/credentials",
  tag,
  summary: "List a person's access tokens, newest first; never their values",
  description: "Active, expired and revoked ones, with their scope and end.",
  permission: ["admin"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(accessToken).meta({ id: "AccessCredentialList" }),
  errors: ["invalid_input", "not_found"],
});

/** A further access token of a person. */
export const issueAccessCredential = defineEndpoint({
  id: "issueAccessCredential",
  method: "POST",
  path: "/v1/people/{id}/credentials",
  tag,
  summary: "Issue an access token; its scope is the person's permissions or less",
  description: "Somebody else's is handed over by a claim link. The value stands in the answer " +
    "alone, or behind the link; the store keeps a hash.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    name: nameInput,
    expires_at: timestamp.optional().meta({
      description:
        "Absent: it does not end by itself, or with the longest life that the server allows.",
    }),
    scope: permissionsInput.min(1).optional()
      .meta({ description: "Absent: whatever the person holds." }),
    deliver: handOver,
    addresses: addressesInput.optional().meta({
      description:
        "Addresses and networks such as `10.0.0.0/8` from which alone it opens something, the caller's own among them. Absent or empty: from everywhere.",
    }),
  }).meta({ id: "AccessCredentialInput" }),
  idempotent: true,
  response: issuedAccessToken,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "person_deactivated",
  ],
  example: { name: "laptop", expires_at: "2036-01-31T09:00:00Z", scope: ["portal:read"] },
});

/** The end of an access token. */
export const revokeAccessCredential = defineEndpoint({
  id: "revokeAccessCredential",
  method: "DELETE",
  path: "/v1/credentials/{id}",
  tag,
  summary: "Revoke an access token: it opens nothing within a second, nor do its sessions",
  description: "The person and their other access tokens stay.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: accessToken,
  errors: ["not_found", "credential_ended", "person_holds_more", "last_administrator"],
});

/** From where an access token opens something. */
export const limitAccessCredential = defineEndpoint({
  id: "limitAccessCredential",
  method: "PUT",
  path: "/v1/credentials/{id}/addresses",
  tag,
  summary:
    "Set the addresses from which alone an access token opens something, the caller's own among them",
  description:
    "From elsewhere it is answered 401 like a wrong one. It holds for the sessions of the access token too, within a second.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    addresses: addressesInput.meta({ description: "Empty: from everywhere." }),
  }).meta({ id: "AccessCredentialAddresses" }),
  response: accessToken,
  errors: [...bodyErrors, "not_found", "credential_ended", "person_holds_more"],
  example: { addresses: [] },
});

/** A fresh access token takes over. */
export const rotateAccessCredential = defineEndpoint({
  id: "rotateAccessCredential",
  method: "POST",
  path: "/v1/credentials/{id}/rotate",
  tag,
  summary: "Replace an access token by a fresh one; the old one lives on for the overlap",
  description: "Somebody else's is handed over by a claim link. With `Idempotency-Key` a repeat " +
    "gets the first answer again.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object({
    overlap_seconds: z.int().min(0).max(24 * 60 * 60)
      .meta({ description: "How long the old one still opens, up to a day." }),
    expires_at: timestamp.optional()
      .meta({ description: "When the fresh one ends; absent: when the old one would have." }),
    deliver: handOver,
  }).meta({ id: "RotateAccessCredentialInput" }),
  idempotent: true,
  response: issuedAccessToken,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "credential_ended",
    "credential_rotated",
    "person_holds_more",
    "last_administrator",
  ],
  example: { overlap_seconds: 3600 },
});
