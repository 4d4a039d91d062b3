import { z } from "zod";
import { exampleApi, exampleKey } from "../../contract/example-ids.ts";
import { denialReasons } from "../../contract/denied-calls.ts";
import { text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { isOneApi, ONE_API, question } from "./verification.contract.ts";
import * as service from "./verification.service.ts";
import type { VerificationContext } from "./verifier.ts";

const tag = "Verification";

const limit = z.strictObject({
  limit: z.number(),
  remaining: z.int(),
  reset: z.int().nullable()
    .describe("Seconds until all of it is there again; null: a quota that is never renewed."),
}).meta({ id: "Limit" });

/** The credential opens what was asked for. `rate` and `quota` are null: the plan sets none. */
export const accepted = z.strictObject({
  valid: z.literal(true),
  key_id: text,
  mask: text,
  kind: z.enum(["token", "basic", "oauth"]),
  plans: z.array(text).describe("The plans in force."),
  tags: z.array(text).describe("The tags of those plans."),
  developer_id: text,
  developer_email: text.describe("In lower case; empty if unknown."),
  developer_email_verified: z.boolean().describe(
    "Whether mail to that address reached the developer, and it is theirs; else it is unverified.",
  ),
  expires_at: z.iso.datetime().nullable(),
  rate: limit.nullable(),
  quota: limit.nullable(),
}).meta({ id: "AcceptedCredential" });

/** It does not, and why. */
export const refused = z.strictObject({
  valid: z.literal(false),
  reason: z.enum(denialReasons),
  retry_after: z.int().optional().describe(
    "Seconds; for over_rate, and for over_quota where the quota is renewed.",
  ),
}).meta({ id: "RefusedCredential" });

/** Decides about a credential that a person presented to a gateway, and counts the call. */
export const verifyKey = operation({
  id: "verifyKey",
  method: "POST",
  path: "/v1/keys/verify",
  tag,
  summary: "Is this credential valid, for this API? Counts one call when it is",
  description:
    "For gateways. Decided from memory, by key, plans, API, rate and quota; a refusal says its reason and is an answer 200 too.",
  permission: ["verify"],
  waitsBriefly: true,
  headers: {
    "x-keydesk-gateway": {
      description: "The name of the gateway, for the counts; it does not affect the decision.",
    },
  },
  body: question,
  response: z.discriminatedUnion("valid", [accepted, refused]),
  errors: [],
  example: { key: exampleKey, api_id: exampleApi },
  serve: (ctx: VerificationContext, call) =>
    service.verifyKey(ctx, call.body, call.deadline, call.headers),
});

const HEADER_NAME = /^(?!x-keydesk-)[A-Za-z0-9-]{1,64}$/i;

const MOST_HEADERS = 8;

/** As the document says it, which can't say what a name must not be. */
const HEADER_NAMES = `^ *[A-Za-z0-9-]{1,64} *(, *[A-Za-z0-9-]{1,64} *){0,${MOST_HEADERS - 1}}$`;

const headerNames = z.string()
  .transform((value) => value.split(",").map((name) => name.trim()))
  .refine(
    (names) => names.length <= MOST_HEADERS && names.every((name) => HEADER_NAME.test(name)),
    {
      error: `expected 1 to ${MOST_HEADERS} names of headers, separated by commas, none of them ` +
        "X-Keydesk-*",
    },
  );

/** The question in the form of proxies, with the answer in headers. */
export const forwardAuth = operation({
  id: "forwardAuth",
  method: "GET",
  path: "/v1/forward-auth",
  wholeTree: { header: "x-keydesk-api" },
  tag,
  summary: "The question of nginx auth_request, Caddy forward_auth, Traefik and Envoy",
  description:
    "Answers 200 with what is known of the key in headers, or 401, 403 or 429 without a body. " +
    "Below the path, also with no more than a slash at its end, and with X-Keydesk-Api the query " +
    "is the visitor's and is never read.",
  permission: ["verify"],
  waitsBriefly: true,
  credentialHeader: "x-keydesk-authorization",
  query: z.object({
    // Of any length: it is known or it is not. An empty one is a variable that no one set, not
    // "any".
    api: z.string().min(1).optional()
      .describe(
        "The API that is called; only at the path itself, without a slash at its end, where the proxy wrote it, and without X-Keydesk-Api.",
      ),
    api_id: z.string().min(1).optional().describe("The code, as `POST /v1/keys/verify` names it."),
    header: headerNames.optional().meta({
      pattern: HEADER_NAMES,
      description:
        "The headers that may hold the visitor's key, such as `Authorization,X-Api-Key`: only the first one that is present is read. Only at the path itself, and without X-Keydesk-Api; absent: the one of KEYDESK_FORWARD_AUTH_HEADER.",
    }),
  }).refine(({ api_id, api }) => isOneApi(api_id, api), ONE_API),
  headers: {
    "x-keydesk-api": {
      description:
        "The API that is called. If it is set the query is the visitor's and is not read. The proxy must set or remove it; but for X-Keydesk-Gateway no other X-Keydesk-* header means anything.",
    },
    "x-keydesk-gateway": {
      description:
        "The name of the proxy, and behind a semicolon the version of its file, for the counts. It does not affect the decision.",
    },
    authorization: {
      description:
        "The visitor's credential: raw, after Bearer, or after Basic. Another header by " +
        "`header` in the query or KEYDESK_FORWARD_AUTH_HEADER.",
      example: `Bearer ${exampleKey}`,
    },
  },
  response: z.undefined(),
  answerHeaders: {
    "x-keydesk-key-id": "The key id.",
    "x-keydesk-kind": "token, basic or oauth.",
    "x-keydesk-developer": "The developer's id, percent-encoded.",
    "x-keydesk-developer-email": "The developer's e-mail, percent-encoded; absent: unknown.",
    "x-keydesk-developer-email-verified":
      "With the e-mail: `true` where a code or a link that Keydesk mailed to it came back, else `false`.",
    "x-keydesk-plans": "The ids of the plans in force, each percent-encoded, separated by commas.",
    "x-keydesk-expires-at": "When the key expires; absent: never.",
    "x-keydesk-rate-limit": "The plan's rate; absent, like the next two: it sets none.",
    "x-keydesk-rate-remaining": "Calls that would pass now.",
    "x-keydesk-rate-reset": "Seconds until the whole rate is available again.",
    "x-keydesk-quota-limit": "The plan's quota; absent, like the next two: it sets none.",
    "x-keydesk-quota-remaining": "Calls left in this period, as far as this node knows.",
    "x-keydesk-quota-reset": "Seconds until the next period; absent: there is none.",
  },
  refusals: {
    401: "No credential, or `X-Keydesk-Reason`: unknown, revoked, suspended or expired. No body.",
    403:
      "`X-Keydesk-Reason`: address_unknown, address, unknown_plan, plan_inactive or wrong_api. No body.",
    429: "`X-Keydesk-Reason`: over_rate or over_quota. `Retry-After`, unless the quota is never " +
      "renewed. No body.",
  },
  refusalHeaders: {
    "x-keydesk-reason": "Why; absent where the visitor presented no credential.",
    "www-authenticate": "With 401.",
    "retry-after": "Seconds; with 429.",
  },
  errors: ["invalid_input"],
  serve: (ctx: VerificationContext, call) => service.forwardAuth(ctx, call),
});
