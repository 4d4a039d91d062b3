import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { envelope, pageNumber } from "../../contract/envelope.ts";
import { freeForm, id, idOrEmpty, integer, text, timestamp } from "../../contract/values.ts";
import { developer, oauthClient } from "../developers/developers.contract.ts";

const password = z.string().max(1024).meta({ format: "password", writeOnly: true });

/**
 * Specification 2.4 as a client sends it, and a password. What may be absent is a rule of
 * account.ts.
 */
export const developerAccountInput = z.object({
  id: idOrEmpty.optional(),
  email: z.string().max(320).optional(),
  date_created: timestamp.optional(),
  inactive: z.boolean().optional(),
  keys: z.record(id, z.array(id)).optional(),
  subscriptions: z.record(id, id).optional(),
  fields: freeForm.optional(),
  nonce: text.optional(),
  sso_key: text.optional(),
  oauth_clients: z.record(id, z.array(oauthClient.input)).optional(),
  password_max_days: integer.optional(),
  password_updated: timestamp.optional(),
  last_login_date: timestamp.optional(),
  password: password.optional(),
}).meta({ id: "DeveloperAccountInput" });

/** A page of developers. */
const developerList = z.strictObject({
  Data: z.array(developer.output),
  Pages: z.int(),
}).meta({ id: "DeveloperList" });

const tag = "Developers";

const example = {
  email: "mary@example.org",
  fields: { name: "Mary", company: "Example" },
  password: "a long sentence that only she knows",
};

export const listDevelopers = defineEndpoint({
  id: "listDevelopers",
  method: "GET",
  path: "/api/portal/developers",
  tag,
  summary: "List developers, newest first",
  description: "Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["portal:read"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  showsSecrets: "to those who may",
  response: developerList,
  errors: ["invalid_input"],
});

export const createDeveloper = defineEndpoint({
  id: "createDeveloper",
  method: "POST",
  path: "/api/portal/developers",
  tag,
  summary: "Register a developer",
  description:
    "The e-mail address is required and belongs to one developer of the organisation. The message of the answer is the developer's id.",
  permission: ["portal:write"],
  body: developerAccountInput,
  idempotent: true,
  response: envelope,
  errors: [
    ...bodyErrors,
    "email_taken",
    "sso_key_taken",
    "developer_exists",
    "developer_refused",
    "too_many_requests",
  ],
  example,
});

export const getDeveloper = defineEndpoint({
  id: "getDeveloper",
  method: "GET",
  path: "/api/portal/developers/{id}",
  tag,
  summary: "Read one developer",
  description:
    "With their keys and subscriptions. Secrets among the members are shown to access tokens with the permission `secrets` alone.",
  permission: ["portal:read"],
  withinScope: true,
  showsSecrets: "to those who may",
  response: developer.output,
  errors: ["not_found"],
});

export const getDeveloperByEmail = defineEndpoint({
  id: "getDeveloperByEmail",
  method: "GET",
  path: "/api/portal/developers/email/{email}",
  tag,
  summary: "Read the developer with this e-mail address",
  description: "The address is percent-encoded in the path.",
  permission: ["portal:read"],
  withinScope: true,
  showsSecrets: "to those who may",
  response: developer.output,
  errors: ["not_found"],
});

export const getDeveloperBySsoKey = defineEndpoint({
  id: "getDeveloperBySsoKey",
  method: "GET",
  path: "/api/portal/developers/ssokey/{key}",
  tag,
  summary: "Read the developer whom an identity provider knows by this sso_key",
  description:
    "Identity brokers read it at each sign-in, and create the developer where it is not found.",
  permission: ["portal:read"],
  keyParameter: "key",
  showsSecrets: "to those who may",
  response: developer.output,
  errors: ["not_found"],
});

export const listDevelopersOfApi = defineEndpoint({
  id: "listDevelopersOfApi",
  method: "GET",
  path: "/api/portal/developers/api/{api}",
  tag,
  summary: "List the developers with a key of a plan that opens an API, newest first; `-` is any",
  description: "Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["portal:read"],
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  showsSecrets: "to those who may",
  response: developerList,
  errors: ["invalid_input"],
});

export const updateDeveloper = defineEndpoint({
  id: "updateDeveloper",
  method: "PUT",
  path: "/api/portal/developers/{id}",
  tag,
  summary: "Replace a developer; secrets, password and live keys that are left out stay",
  description: "Other members that are left out fall back to their defaults.",
  permission: ["portal:write"],
  body: developerAccountInput,
  response: envelope,
  errors: [
    ...bodyErrors,
    "not_found",
    "email_taken",
    "sso_key_taken",
    "developer_refused",
    "too_many_requests",
  ],
  example,
});

export const deleteDeveloper = defineEndpoint({
  id: "deleteDeveloper",
  method: "DELETE",
  path: "/api/portal/developers/{id}",
  tag,
  summary: "Delete a developer with their undecided key requests, and revoke or keep their keys",
  description:
    "The requests go in the same transaction as the developer. Developer and keys are shut at once, and can be brought back for 7 days, by `POST /v1/developers/{id}/restore`. Without `approve` the access tokens of one person end no more than 50 keys an hour (a setting); their first deletion within an hour may be of a developer with more.",
  permission: ["portal:write"],
  query: z.object({
    keys: z.enum(["revoke", "keep"], { error: "expected revoke or keep" }).optional()
      .meta({ description: "What becomes of the developer's keys; absent: revoke." }),
  }),
  response: envelope,
  errors: ["not_found_for_deletion", "invalid_input", "too_many_revoked"],
});

export const verifyCredentials = defineEndpoint({
  id: "verifyCredentials",
  method: "POST",
  path: "/api/portal/developers/verify_credentials",
  tag,
  summary: "Check a developer's e-mail address and password; the message is the developer's id",
  description:
    "A wrong password, an unknown address and an inactive developer are answered alike, after the same work. Too many tries are answered 429.",
  permission: ["portal:write"],
  body: z.object({ username: z.string().max(320), password }).meta({ id: "DeveloperSignIn" }),
  response: envelope,
  errors: [...bodyErrors, "wrong_credentials", "too_many_requests"],
  example: { username: example.email, password: example.password },
});

export const setPassword = defineEndpoint({
  id: "setDeveloperPassword",
  method: "POST",
  path: "/api/portal/developers/password/{id}",
  tag,
  summary: "Set a developer's password",
  description:
    "It is kept as a slow hash and never shown. Passwords that are too short, too long or among the commonest are refused.",
  permission: ["portal:write"],
  body: z.object({ password }).meta({ id: "DeveloperPassword" }),
  response: envelope,
  errors: [...bodyErrors, "unknown_developer", "developer_refused", "too_many_requests"],
  example: { password: example.password },
});
