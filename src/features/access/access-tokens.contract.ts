import { z } from "zod";
import { claimLink, deliver } from "../../contract/claim-link.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { leaked } from "../../contract/leak.ts";
import { pageOf } from "../../contract/paging.ts";
import { permissions } from "../../contract/permissions.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { certsAnswers } from "../../contract/certs-answer.ts";
import { text, timestamp } from "../../contract/values.ts";
import { nameInput, permissionsInput, roleInput } from "./people.contract.ts";

const tag = "People";

const certsAnswer = z.enum(certsAnswers).meta({
  description:
    "How `GET /api/certs` reads to it: `original` for readers that refuse any member beyond the original's. Null or absent: as the server is set (`KEYDESK_CERTS_ANSWER`).",
});

const accessTokenMembers = {
  id: text,
  person_id: text,
  name: text,
  state: z.enum(["active", "suspended", "expired", "revoked"]),
  permissions: z.array(z.enum(permissions)),
  scope: nullable(z.array(z.enum(permissions))),
  role: nullable(text).meta({
    description: "The id of the role that says its scope; null: none does.",
  }),
  date_created: timestamp,
  expires_at: nullable(timestamp),
  revoked_at: nullable(timestamp),
  replaced_by: nullable(text),
  issued_by: nullable(text).meta({
    description: "Who issued it for somebody else: a person's id, or `operator`.",
  }),
  addresses: nullable(z.array(text)),
  certs_answer: nullable(certsAnswer),
  ends_soon: z.boolean(),
  last_used_at: nullable(timestamp),
  last_used_from: nullable(text),
  leaked,
};

/** Networks to limit an access token to. */
const addressesInput = z.array(z.string().trim().min(1).max(64)).max(50);

/** An access token, never its value. */
export const accessToken = z.strictObject(accessTokenMembers).meta({ id: "AccessCredential" });

/** An access token with its value, or with the link that hands it over; shown this once. */
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
  permission: ["admin:read"],
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
    role: roleInput.optional().meta({
      description: "The id of a role, in the place of `scope`: it says that, now and later.",
    }),
    deliver: handOver,
    addresses: addressesInput.optional().meta({
      description:
        "Addresses and networks such as `10.0.0.0/8` from which alone it opens something, the caller's own among them. Absent or empty: from everywhere.",
    }),
    certs_answer: certsAnswer.optional(),
  }).refine(({ scope, role }) => scope === undefined || role === undefined, {
    error: "expected scope or role, and not both",
  }).meta({ id: "AccessCredentialInput" }),
  idempotent: true,
  response: issuedAccessToken,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "person_holds_more",
    "unknown_role",
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
