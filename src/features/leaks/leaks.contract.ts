import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { leak, leakObjects, leakStates } from "../../contract/leak.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { exampleKey } from "../../contract/example-ids.ts";
import { LONGEST_HEADER, LONGEST_SIGNED_BODY } from "../../kernel/input-limits.ts";
import { key } from "../keys/keys.contract.ts";

const tag = "Leaks";

/** Characters of the longest text that is looked up; as long as what a key is found by. */
export const LONGEST_KEY = 4096;

/** Characters of the longest place where something was found. */
const LONGEST_URL = 2048;

/** What no place may hold: control characters, line ends, what turns or hides the text around. */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a place can be shown as it stands. */
export function isShowable(url: string): boolean {
  return url.length <= LONGEST_URL && url.isWellFormed() && !UNSHOWABLE.test(url);
}

/** What a report is answered, whatever it named. */
export const leaksReceived = z.strictObject({
  received: z.int().meta({ description: "How many texts it held." }),
}).meta({ id: "LeaksReceived" });

/** Anybody's report. */
export const reportLeaks = defineEndpoint({
  id: "reportLeaks",
  method: "POST",
  path: "/v1/leaks",
  tag,
  summary: "Report keys and access tokens that were found in public; open to everybody",
  description:
    "Answered alike whatever was found: nothing tells whether Keydesk knows it. A key and an access token are sent as they are, a user name or an OAuth client with its secret as `name:secret`. 404 where the operator has not switched it on.",
  permission: "public",
  body: z.object({
    keys: z.array(z.string().trim().min(1).max(LONGEST_KEY)).min(1).max(100)
      .meta({
        description: "What was found; only hashes of it are kept, until they are looked up.",
      }),
    url: z.string().max(LONGEST_URL).refine(isShowable, {
      error: "must not hold control characters",
    }).optional().meta({ description: "Where it was found." }),
  }).meta({ id: "LeaksInput" }),
  status: 202,
  response: leaksReceived,
  errors: [...bodyErrors, "unknown_path", "too_many_requests"],
  example: { keys: [exampleKey], url: "https://example.org/repository/blob/main/.env" },
});

/** What a scanning partner sends: one object a match. */
export const partnerMatches = z.array(z.object({
  token: z.string().min(1),
  type: z.string().default(""),
  url: z.string().default(""),
}));

/** What a scanning partner may learn. */
export const partnerFeedback = z.array(z.strictObject({
  token_hash: z.string(),
  token_type: z.string(),
  label: z.literal("false_positive"),
})).meta({ id: "LeakFeedback" });

/** A scanning partner's report. */
export const reportPartnerLeaks = defineEndpoint({
  id: "reportPartnerLeaks",
  method: "POST",
  path: "/v1/leaks/partner",
  tag,
  summary:
    "Report matches as GitHub's secret scanning does, signed with a public key of the setting",
  description:
    "The body is a JSON list of `{token, type, url, source}`. The answer names those that begin like a secret of Keydesk and fail its checksum, and says nothing of the others. 404 where the operator has given no public keys.",
  permission: "public",
  fromOthers: true,
  headers: {
    "github-public-key-identifier": {
      description: "Which public key the signature is of.",
      bounds: { maxLength: LONGEST_HEADER },
    },
    "github-public-key-signature": {
      description: "Base64 of the ECDSA signature (P-256, SHA-256, DER) of the body as it is sent.",
      bounds: { maxLength: LONGEST_HEADER },
    },
  },
  body: "bytes",
  longestBody: LONGEST_SIGNED_BODY,
  contentTypes: { body: ["application/json"] },
  response: partnerFeedback,
  errors: [...bodyErrors, "unknown_path", "signature_invalid", "too_many_requests"],
  example: [{
    token: exampleKey,
    type: "keydesk_key",
    url: "https://example.org/repository/blob/main/.env",
    source: "content",
  }],
});

/** A report of a leaked key or access token, and what became of it. */
export const listedLeak = z.strictObject({
  object: z.enum(leakObjects),
  key_id: text.meta({ description: "Empty for an access token, as `mask` and the developer's." }),
  mask: text.meta({ description: "Empty where the key is gone, as the members below it." }),
  name: text,
  developer_id: text,
  developer_email: text,
  developer_name: text,
  token_id: text.meta({ description: "Empty for a key, as the person's." }),
  person_id: text,
  person_name: text,
  state: z.enum(leakStates).meta({
    description:
      "`open`: it still opens something, or would if it or its person were resumed; `ended`: its time is over, or it is gone; `not_so`: somebody said that it is not so.",
  }),
  ...leak.shape,
  settled_at: nullable(timestamp).meta({
    description: "When it was rotated, revoked, ended or said not to be so; null: not yet.",
  }),
  settled_after_seconds: nullable(z.int()).meta({
    description: "How long that took after the report; 0 where it was so before.",
  }),
}).meta({ id: "Leak" });

/** What the list is narrowed by. */
export const leakQuery = z.object({
  ...pageQuery,
  state: z.enum(leakStates, { error: `expected ${leakStates.join(" or ")}` }).optional().meta({
    description: "Only reports in this state.",
  }),
  object: z.enum(leakObjects, { error: `expected ${leakObjects.join(" or ")}` }).optional().meta({
    description: "Only reports of keys, or of access tokens.",
  }),
});

/** Reports of leaked keys and access tokens. */
export const listLeaks = defineEndpoint({
  id: "listLeaks",
  method: "GET",
  path: "/v1/leaks",
  tag,
  summary: "Leaked keys, the newest report first: who found each where, and what became of it",
  description:
    "By cursor; a page may hold fewer than `limit` and still have a next one. What was reported and belongs to nobody is never kept.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  query: leakQuery,
  answerHeaders: nextPageLink,
  response: pageOf(listedLeak).meta({ id: "LeakList" }),
  errors: ["invalid_input"],
});

/** Not so. */
export const dismissLeak = defineEndpoint({
  id: "dismissLeak",
  method: "POST",
  path: "/v1/keys/{key_id}/leak/dismiss",
  tag,
  summary: "Say that a key has not leaked: its mark goes, and the trail keeps who said so and why",
  description:
    "The key stays what it is. Once said, saying it again changes nothing; a report that comes afterwards marks the key anew. 404 for a key that nobody has reported.",
  permission: ["revoke"],
  withinScope: true,
  withinElevation: true,
  body: z.object({ reason: z.string().trim().min(1).max(500) }).meta({ id: "LeakDismissal" }),
  response: key,
  errors: [...bodyErrors, "not_found"],
  example: { reason: "The example key of our own documentation" },
});
