import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleKey } from "../../contract/example-ids.ts";
import { LONGEST_SIGNED_BODY } from "../../kernel/input-limits.ts";

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
    "github-public-key-identifier": { description: "Which public key the signature is of." },
    "github-public-key-signature": {
      description: "Base64 of the ECDSA signature (P-256, SHA-256, DER) of the body as it is sent.",
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
