import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nameText } from "../../contract/labels.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "My account";

/** What a developer's own token opens. */
export const tokenScopes = ["look", "keys"] as const;

const members = {
  id: text,
  name: text,
  scope: z.enum(tokenScopes).meta({
    description:
      "`look`: reads and changes nothing. `keys`: asks, and handles keys; not the account itself.",
  }),
  date_created: timestamp,
  last_used_at: nullable(timestamp).meta({ description: "To the minute." }),
  expires_at: timestamp,
};

/** A developer's own token, as they read of it: never its value. */
export const developerToken = z.strictObject(members).meta({ id: "DeveloperToken" });

/** The tokens. */
export const listMyTokens = defineEndpoint({
  id: "listMyTokens",
  method: "GET",
  path: "/v1/my/tokens",
  tag,
  summary: "List one's own tokens that open something, newest first; at most 50",
  description: "Their values are nowhere.",
  permission: "developer",
  response: z.strictObject({ data: z.array(developerToken) }).meta({ id: "DeveloperTokenList" }),
  errors: [],
});

/** One more. */
export const createMyToken = defineEndpoint({
  id: "createMyToken",
  method: "POST",
  path: "/v1/my/tokens",
  tag,
  summary: "Make a token for programs of one's own; its value is shown once",
  description:
    "Only in a session that the developer began themselves, by a mailed code or a password of their own choice, within the last 10 minutes: none that a portal's back end opened makes a token, whatever code was entered in it. It opens `/v1/my` as `Authorization: Bearer` and the token.",
  permission: "developer",
  developerNeeds: "own session",
  body: z.object({
    name: nameText().min(1),
    scope: z.enum(tokenScopes),
    days: z.int().min(1).max(90).meta({ description: "How long it lives." }),
  }).meta({ id: "DeveloperTokenInput" }),
  response: z.strictObject({
    ...members,
    token: text.meta({ description: "It begins with `kdd_`, and is shown in no other answer." }),
  }).meta({ id: "DeveloperTokenMade" }),
  errors: [...bodyErrors, "too_many_tokens"],
  example: { name: "Nightly report", scope: "look", days: 30 },
});

/** One less. */
export const endMyToken = defineEndpoint({
  id: "endMyToken",
  method: "DELETE",
  path: "/v1/my/tokens/{id}",
  tag,
  summary: "End one of one's own tokens",
  description: "It opens nothing any more. By a session alone; a token is refused.",
  permission: "developer",
  response: z.strictObject({ ended: z.literal(1) }).meta({ id: "DeveloperTokenEnded" }),
  errors: ["not_found"],
});
