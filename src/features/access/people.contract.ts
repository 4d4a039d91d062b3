import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { pageNumber } from "../../contract/envelope.ts";
import { nameText } from "../../contract/labels.ts";
import { pageOf } from "../../contract/paging.ts";
import { MOST_COVERED } from "../../contract/covers.ts";
import { permissions } from "../../contract/permissions.ts";
import { entityTag, ifMatch, nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";
import { leftOpen } from "./left-open.contract.ts";

const tag = "People";

/** A name that has to be given. */
export const nameInput = nameText().min(1);

/** Permissions to give. */
export const permissionsInput = z.array(z.enum(permissions)).max(permissions.length);

/** The id of a role, of the organisation's own or one that every organisation has. */
export const roleInput = z.string().trim().min(1).max(64);

const named = z.array(id).max(MOST_COVERED);

/** Of what alone somebody sees and decides. */
export const covers = z.strictObject({
  plans: z.array(text),
  apis: z.array(text),
  tags: z.array(text),
}).meta({ id: "Covers" });

/** The same as it is given. */
const coversInput = z.object({
  plans: named.default([]).meta({ description: "Ids of plans." }),
  apis: named.default([]).meta({
    description: "Ids of APIs: plans that open nothing but these are covered.",
  }),
  tags: named.default([]).meta({ description: "Tags: plans with one of these are covered." }),
}).refine(({ plans, apis, tags }) => plans.length + apis.length + tags.length > 0, {
  error: "expected a plan, an API or a tag",
}).meta({ id: "CoversInput" });

/** What is given to a person: permissions one by one, or a role. */
export const grantMembers = {
  permissions: permissionsInput.optional(),
  role: roleInput.optional().meta({
    description:
      "The id of a role, which says the permissions, now and later. Beside it `permissions` are absent, or its own.",
  }),
  covers: z.union([coversInput, z.literal("everything")]).optional().meta({
    description:
      "Of what alone they see and decide, or `everything`. Absent: it stays as it is, and is everything for somebody new.",
  }),
};

/** Whether one of the two is given. */
export function isGrant({ permissions, role }: { permissions?: unknown; role?: unknown }): boolean {
  return permissions !== undefined || role !== undefined;
}

/** What is said where neither is. */
export const NO_GRANT = { error: "expected permissions or a role" };

const personMembers = {
  id: text,
  name: text,
  permissions: z.array(z.enum(permissions)),
  state: z.enum(["active", "suspended", "deactivated"]),
  date_created: timestamp,
  deactivated_at: nullable(timestamp),
  suspended_at: nullable(timestamp),
  email: nullable(text).meta({ description: "Where they are written to; null: nowhere." }),
  role: nullable(text).meta({
    description: "The id of the role that says their permissions; null: none does.",
  }),
  covers: nullable(covers).meta({
    description: "Of what alone they see and decide; null: everything.",
  }),
};

/** Somebody who holds access tokens: a person or a script. */
export const person = z.strictObject(personMembers).meta({ id: "Person" });

/** The same after a change, with what nobody can approve since. */
const changedPerson = person.extend({ left_open: leftOpen }).meta({ id: "ChangedPerson" });

const personInput = z.object({
  name: nameInput,
  ...grantMembers,
  email: z.string().trim().refine((text) => text === "" || problemOfAddress(text) === undefined, {
    error: "expected an e-mail address such as grace@example.org, or nothing",
  }).optional().meta({
    description: "Where they are written to; empty: nowhere. Absent: it stays as it is.",
  }),
}).refine(isGrant, NO_GRANT)
  .meta({ id: "PersonInput" });

/** People of the organisation. */
export const listPeople = defineEndpoint({
  id: "listPeople",
  method: "GET",
  path: "/v1/people",
  tag,
  summary: "List people, newest first, those who left among them",
  description: "By cursor.",
  permission: ["admin:read"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(person).meta({ id: "PersonList" }),
  errors: ["invalid_input"],
});

/** People as the original's clients read them. */
export const listUsers = defineEndpoint({
  id: "listUsers",
  method: "GET",
  path: "/api/users",
  tag,
  summary: "List people in the words of the original's dashboard, newest first; never a token",
  description:
    "Those who left are among them, with `active` false. Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["admin:read"],
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything." }),
  }),
  response: z.strictObject({
    users: z.array(z.strictObject({
      id: text,
      first_name: text.meta({ description: "All words of the name but the last." }),
      last_name: text,
      email_address: text,
      active: z.boolean(),
      org_id: text,
    })),
    pages: z.int(),
  }).meta({ id: "UserList" }),
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
  errors: [...bodyErrors, "permission_not_held", "unknown_role"],
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
  permission: ["admin:read"],
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
  summary:
    "Replace a person's name, permissions or role, scope and address; access tokens follow within a second",
  description:
    "Nobody gives a permission that they don't hold, takes one from whoever holds more, or changes their address, and the last administrator stays one. `If-Match` refuses what has changed since it was read.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: personInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: changedPerson,
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "unknown_role",
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
  description: "The last administrator stays. What nobody can approve since stands in `left_open`.",
  permission: ["admin"],
  needsFreshSignIn: true,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: changedPerson,
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
    "Suspend all access tokens of a person until they are resumed, and end their sessions for good",
  description:
    "For one whose access tokens may be in wrong hands: they open nothing within a second. No access token is revoked: resuming lets all that have not ended open again.",
  permission: ["admin"],
  needsFreshSignIn: true,
  answerHeaders: entityTag,
  response: changedPerson,
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
  summary: "Let a suspended person's access tokens open again what they did",
  description: "Sessions stay ended: the person signs in anew.",
  permission: ["admin"],
  needsFreshSignIn: true,
  answerHeaders: entityTag,
  response: person,
  errors: ["not_found", "person_deactivated", "person_not_suspended", "person_holds_more"],
});
