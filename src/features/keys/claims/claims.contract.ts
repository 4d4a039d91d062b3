import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../../contract/endpoint.ts";
import { definePublicPage } from "../../../contract/public-page.ts";
import { nextPageLink, nullable, pageQuery } from "../../../contract/v1.ts";
import { id, text, timestamp } from "../../../contract/values.ts";
import { branding } from "../../branding/branding.contract.ts";

const states = ["open", "opened", "expired", "withdrawn"] as const;

/** A claim as it is shown: neither link nor credential. */
export const claim = z.strictObject({
  id,
  state: z.enum(states),
  key_request_id: text.meta({ description: "Of the key that it hands over; else empty." }),
  request_id: text.meta({
    description:
      "The older name of `key_request_id`, for this release alone. It is no id of a call, which `request_id` is elsewhere.",
    deprecated: true,
  }),
  key_id: text,
  access_token_id: text.meta({
    description: "What it hands over where that is no key; else empty.",
  }),
  created_by: text,
  created_at: timestamp,
  expires_at: timestamp,
  closed_at: nullable(timestamp),
}).meta({ id: "Claim" });

/** A page of claims. `next_cursor` null: there are no more. */
export const claimList = z.strictObject({ data: z.array(claim), next_cursor: nullable(text) })
  .meta({ id: "ClaimList" });

/** A credential as a claim hands it over, this once. */
export const openedClaim = z.strictObject({
  credential: z.strictObject({
    RawKey: text,
    Password: text,
    client_id: text.optional(),
    secret: text.optional(),
    policy_id: text.optional(),
    redirect_uri: text.optional(),
  }),
  key_id: text,
  plans: z.array(text),
  access_token: z.strictObject({ id: text, name: text, expires_at: nullable(timestamp) }).optional()
    .meta({ description: "There where an access token is handed over: it stands in `RawKey`." }),
}).meta({ id: "OpenedClaim" });

/** What a claim is for, before it is opened. */
export const claimPreview = z.strictObject({
  kind: z.enum(["key", "oauth_client", "access_token"]),
  organisation: branding.pick({ name: true, logo: true, colour: true, support: true })
    .extend({ documentation: text }),
  recipient: z.strictObject({ name: text, email: text })
    .meta({ description: "Whose it is; empty members where nobody knows." }),
  name: text.meta({ description: "What the key is called; empty: nobody said." }),
  environment: text.meta({
    description: "Where the key is used, such as production; may be empty.",
  }),
  plans: z.array(z.strictObject({
    id: text,
    name: text,
    apis: z.array(text).meta({ description: "What its keys open, by name." }),
    rate: z.number(),
    per: z.number(),
    quota_max: z.number(),
    quota_renewal_rate: z.number(),
  })),
  base_url: text.meta({ description: "Where the gateway answers; empty where nobody has said." }),
  key_header: text,
  created_at: timestamp,
  expires_at: timestamp.meta({ description: "Until when the link opens anything." }),
  ends_at: nullable(timestamp).meta({ description: "From when on what it hands over is over." }),
}).meta({ id: "ClaimPreview" });

/** What is asked for by both names is one thing. */
function isOneKeyRequest(
  { key_request_id, request_id }: {
    key_request_id?: string | undefined;
    request_id?: string | undefined;
  },
): boolean {
  return key_request_id === undefined || request_id === undefined || key_request_id === request_id;
}

const tag = "Claims";

/** The token of the reference's example. */
export const exampleToken = "0".repeat(43);

/** Who made which. */
export const listClaims = defineEndpoint({
  id: "listClaims",
  method: "GET",
  path: "/v1/claims",
  tag,
  summary: "List claims, newest first; a page may hold fewer than `limit` and still have a next",
  description:
    "A claim is a link that hands a key or an access token over once. The link's token and what it hands over are never shown here. Claims of access tokens are shown to `admin` alone, those of keys to `portal:read` alone.",
  permission: ["portal:read", "admin"],
  withinScope: true,
  query: z.object({
    ...pageQuery,
    state: z.enum(states, { error: `expected ${states.join(" or ")}` }).optional()
      .meta({ description: "Only claims in this state." }),
    key_id: id.optional().meta({ description: "Only claims of this key." }),
    key_request_id: id.optional().meta({ description: "Only claims of this key request." }),
    request_id: id.optional().meta({
      description: "The older name of `key_request_id`, for this release alone.",
      deprecated: true,
    }),
  }).refine(isOneKeyRequest, {
    error: "expected the same as key_request_id",
    path: ["request_id"],
  }),
  answerHeaders: nextPageLink,
  response: claimList,
  errors: ["invalid_input"],
});

/** The link opens nothing any more. */
export const withdrawClaim = defineEndpoint({
  id: "withdrawClaim",
  method: "DELETE",
  path: "/v1/claims/{id}",
  tag,
  summary: "Withdraw an open claim: its link opens nothing any more; the key lives on",
  description:
    "To end the key too, revoke it. A key's claim is withdrawn by `approve`, an access token's by `admin` alone: others do not find it, and a session must have signed in within the last five minutes.",
  permission: ["approve", "admin"],
  withinScope: true,
  idempotent: true,
  response: claim,
  // The last one for an access token's alone, so not by `needsFreshSignIn`.
  errors: ["not_found", "claim_closed", "fresh_sign_in_required"],
});

const tokenBody = z.object({ token: z.string().min(1).max(200) }).meta({ id: "OpenClaimInput" });

/** Whoever holds the token may know what it opens. */
export const previewClaim = defineEndpoint({
  id: "previewClaim",
  method: "POST",
  path: "/v1/claims/preview",
  tag,
  summary: "Read whose and what for a claim is, with the token of its link; burns nothing",
  description:
    "Nothing secret is in the answer. A claim that is over is answered like one that never was. Wrong tokens count as those of opening do.",
  permission: "public",
  body: tokenBody,
  response: claimPreview,
  errors: [...bodyErrors, "claim_gone", "too_many_requests"],
  example: { token: exampleToken },
});

/** What became of a claim, and whom to ask. */
export const claimFate = z.strictObject({
  state: z.enum(["open", "opened", "withdrawn", "expired", "stopped"]).meta({
    description:
      "`opened`: it was used. `stopped`: what it hands over is suspended, has ended or was taken away.",
  }),
  at: nullable(timestamp).meta({ description: "Since when; null: nobody noted it." }),
  organisation: z.strictObject({ name: text, logo: text, colour: text, support: text }),
}).meta({ id: "ClaimFate" });

/** Whoever holds the token may know why it opens nothing. */
export const readClaimFate = defineEndpoint({
  id: "readClaimFate",
  method: "POST",
  path: "/v1/claims/fate",
  tag,
  summary:
    "Tell what became of a claim, with the token of its link, and whom to ask; burns nothing",
  description:
    "For whoever holds a link that opens nothing any more: used, withdrawn, expired, or stopped. A token that is none of a claim is answered `claim_gone`. Wrong tokens count as those of opening do.",
  permission: "public",
  body: tokenBody,
  response: claimFate,
  errors: [...bodyErrors, "claim_gone", "too_many_requests"],
  example: { token: exampleToken },
});

/** Whoever holds the token gets the credential, once. */
export const openClaim = defineEndpoint({
  id: "openClaim",
  method: "POST",
  path: "/v1/claims/open",
  tag,
  summary: "Open a claim with the token of its link and receive the credential; works once",
  description:
    "What opens it is the token alone, so no access token is needed. Afterwards the sealed copy of the key is gone. Too many wrong tokens from one address are answered 429.",
  permission: "public",
  body: tokenBody,
  response: openedClaim,
  errors: [...bodyErrors, "claim_gone", "too_many_requests"],
  example: { token: exampleToken },
});

/** The page that a claim link leads to; reading it burns nothing. */
export const claimPage = definePublicPage({
  id: "claimPage",
  path: "/claim",
  tag,
  type: "text/html",
  summary: "The page of a claim link",
  description:
    "For the browser of whoever was sent a link. The token stands behind `#`, so that reading the page tells no server. In English or German, as the browser accepts.",
  answerHeaders: { vary: "`accept-language`: the page is written in one of its languages." },
});

/** What that page runs. */
export const claimScript = definePublicPage({
  id: "claimScript",
  path: "/claim.js",
  tag,
  type: "text/javascript",
  summary: "The script of the page of a claim link",
  description: "Loaded by the page itself.",
});

/** How that page looks. */
export const claimStyle = definePublicPage({
  id: "claimStyle",
  path: "/claim.css",
  tag,
  type: "text/css",
  summary: "The style sheet of the page of a claim link",
  description: "Loaded by the page itself.",
});
