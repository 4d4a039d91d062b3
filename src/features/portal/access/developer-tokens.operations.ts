import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { operation } from "../../../http/operation.ts";
import {
  developerToken,
  developerTokenInput,
  developerTokenMade,
} from "./developer-tokens.contract.ts";
import * as service from "./developer-tokens.service.ts";

const tag = "My account";

/** The tokens. */
export const listMyTokens = operation({
  id: "listMyTokens",
  method: "GET",
  path: "/v1/my/tokens",
  tag,
  summary: "List one's own valid tokens, newest first; at most 50",
  description: "Their values are nowhere.",
  permission: "developer",
  response: z.strictObject({ data: z.array(developerToken) }).meta({ id: "DeveloperTokenList" }),
  errors: [],
  serve: async (ctx) => ({ data: await service.list(ctx) }),
});

/** One more. */
export const createMyToken = operation({
  id: "createMyToken",
  method: "POST",
  path: "/v1/my/tokens",
  tag,
  summary: "Make a token for programs of one's own; its value is shown once",
  description:
    "Only in a session that the developer began themselves, by a mailed code or a password of their own choice, within the last 10 minutes: a session that a portal's back end opened makes no token, whatever code was entered in it. It is valid for `/v1/my` as `Authorization: Bearer` and the token.",
  permission: "developer",
  developerNeeds: "own session",
  body: developerTokenInput,
  response: developerTokenMade,
  errors: [...bodyErrors, "too_many_tokens"],
  example: { name: "Nightly report", scope: "look", days: 30 },
  serve: (ctx, { body }) => service.create(ctx, body),
});

/** One less. */
export const endMyToken = operation({
  id: "endMyToken",
  method: "DELETE",
  path: "/v1/my/tokens/{id}",
  tag,
  summary: "Revoke one of one's own tokens",
  description: "It is no longer valid. By a session alone; a token is refused.",
  permission: "developer",
  response: z.strictObject({ ended: z.literal(1) }).meta({ id: "DeveloperTokenEnded" }),
  errors: ["not_found"],
  async serve(ctx, { params }) {
    await service.end(ctx, params.id);
    return { ended: 1 as const };
  },
});
