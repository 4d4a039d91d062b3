import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { pageNumber } from "../../contract/envelope.ts";
import { pageOf } from "../../contract/paging.ts";
import { permissions } from "../../contract/permissions.ts";
import { entityTag, ifMatch, nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { ifMatchOf, withNextPage } from "../../http/routes.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";
import { leftOpen } from "./left-open.contract.ts";
import { grantMembers, isGrant, nameInput, NO_GRANT, scope, userList } from "./people.contract.ts";
import * as service from "./people.service.ts";

const tag = "People";

const personMembers = {
  id: text,
  name: text,
  permissions: z.array(z.enum(permissions)),
  state: z.enum(["active", "suspended", "deactivated"]),
  date_created: timestamp,
  deactivated_at: nullable(timestamp),
  suspended_at: nullable(timestamp),
  email: nullable(text).meta({ description: "Their e-mail address; null: none." }),
  role: nullable(text).meta({
    description: "The id of the role that says their permissions; null: none does.",
  }),
  scope: nullable(scope).meta({
    description: "The scope in which they see and decide; null: everything.",
  }),
};

/** A person who holds access tokens: a person or a script. */
export const person = z.strictObject(personMembers).meta({ id: "Person" });

/** The person after a change, with the approvals that it leaves open. */
const changedPerson = person.extend({ left_open: leftOpen }).meta({ id: "ChangedPerson" });

const personInput = z.object({
  name: nameInput,
  ...grantMembers,
  email: z.string().trim().refine((text) => text === "" || problemOfAddress(text) === undefined, {
    error: "expected an e-mail address such as grace@example.org, or nothing",
  }).optional().meta({
    description: "Their e-mail address; empty: none. Absent: it stays as it is.",
  }),
}).refine(isGrant, NO_GRANT)
  .meta({ id: "PersonInput" });

/** People of the organisation. */
export const listPeople = operation({
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
  async serve(ctx: service.PeopleContext, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** People as the original's clients read them. */
export const listUsers = operation({
  id: "listUsers",
  method: "GET",
  path: "/api/users",
  tag,
  summary: "List people in the words of the Tyk dashboard, newest first; never a token",
  description:
    "Those who left are among them, with `active` false. Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["admin:read"],
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything." }),
  }),
  response: userList,
  errors: ["invalid_input"],
  serve: (ctx: service.PeopleContext, { query }) => service.listUsers(ctx, query.p),
});

/** A further person. */
export const createPerson = operation({
  id: "createPerson",
  method: "POST",
  path: "/v1/people",
  tag,
  summary: "Add a person; you can grant only permissions that you have",
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
  serve: (ctx: service.PeopleContext, call) => service.create(ctx, call.body, call.idempotency),
});

/** One person. */
export const getPerson = operation({
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
  serve: (ctx: service.PeopleContext, { params }) => service.get(ctx, params.id),
});

/** Name and permissions. */
export const updatePerson = operation({
  id: "updatePerson",
  method: "PUT",
  path: "/v1/people/{id}",
  tag,
  summary:
    "Replace a person's name, permissions or role, scope and address; access tokens follow within a second",
  description:
    "You can grant only permissions that you have, and can't reduce the permissions or change the address of a person who has more; the last administrator stays one. `If-Match` refuses the change if it has changed since it was read.",
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
  serve: (ctx: service.PeopleContext, call) =>
    service.update(ctx, call.params.id, call.body, ifMatchOf(call)),
});

/** A person leaves. */
export const deletePerson = operation({
  id: "deletePerson",
  method: "DELETE",
  path: "/v1/people/{id}",
  tag,
  summary:
    "Deactivate a person: their access tokens end within a second, the audit log keeps their name",
  description:
    "The last administrator stays. `left_open` lists the approvals that no person can give since.",
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
  serve: (ctx: service.PeopleContext, call) => service.remove(ctx, call.params.id, ifMatchOf(call)),
});

/** All access tokens of a person, at once. */
export const suspendPerson = operation({
  id: "suspendPerson",
  method: "POST",
  path: "/v1/people/{id}/suspend",
  tag,
  summary:
    "Suspend all access tokens of a person until they are resumed, and end their sessions for good",
  description:
    "For a person whose access tokens may be in wrong hands: they are invalid within a second. No access token is revoked: resuming makes all that have not expired valid again.",
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
  serve: (ctx: service.PeopleContext, { params }) => service.suspend(ctx, params.id),
});

/** Lifts a suspension. */
export const resumePerson = operation({
  id: "resumePerson",
  method: "POST",
  path: "/v1/people/{id}/resume",
  tag,
  summary: "Make a suspended person's access tokens valid again",
  description: "Sessions stay revoked: the person signs in anew.",
  permission: ["admin"],
  needsFreshSignIn: true,
  answerHeaders: entityTag,
  response: person,
  errors: ["not_found", "person_deactivated", "person_not_suspended", "person_holds_more"],
  serve: (ctx: service.PeopleContext, { params }) => service.resume(ctx, params.id),
});
