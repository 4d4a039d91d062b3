import { z } from "zod";
import { claimLink } from "../../contract/claim-link.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { definePublicPage } from "../../contract/public-page.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { branding } from "../branding/branding.contract.ts";
import { granted } from "../keys/conditions.contract.ts";

const tag = "Key requests (native)";

/** The token of the reference's example. */
export const exampleOfferToken = "2".repeat(43);

const token = z.string().min(1).max(2000);
const tokenBody = z.object({ token }).meta({ id: "OfferLinkInput" });

const plans = z.array(z.strictObject({ id: text, name: text }));

/** Whoever holds the token may know what is offered, and what became of it. */
export const previewOffer = defineEndpoint({
  id: "previewOffer",
  method: "POST",
  path: "/v1/offers/preview",
  tag,
  summary: "Read what is offered, and what became of it, with the token of a mailed link",
  description:
    "Changes nothing. A token that is none of an offer is `offer_link_gone`; wrong tokens count as those of claims do.",
  permission: "public",
  body: tokenBody,
  response: z.strictObject({
    state: z.enum(["waiting", "accepted", "turned_down", "answered", "expired", "over"]).meta({
      description:
        "`over`: it was withdrawn, another took its place, the request was decided otherwise, or the developer has another address.",
    }),
    organisation: branding.pick({ name: true, logo: true, colour: true, support: true }),
    asked: plans.meta({ description: "The plans that were asked for." }),
    terms: nullable(granted).meta({ description: "Null where it is over." }),
    plans: nullable(plans).meta({ description: "Instead of those; null: the same." }),
    message: nullable(text),
    expires_at: nullable(timestamp),
  }).meta({ id: "OfferLinkPreview" }),
  errors: [...bodyErrors, "offer_link_gone", "too_many_requests"],
  example: { token: exampleOfferToken },
});

const answerErrors = [
  ...bodyErrors,
  "offer_link_gone",
  "too_many_requests",
  "not_found",
  "already_decided",
  "no_offer",
] as const;

/** Says yes by the link. */
export const acceptOfferByLink = defineEndpoint({
  id: "acceptOfferByLink",
  method: "POST",
  path: "/v1/offers/accept",
  tag,
  summary: "Accept an offer with the token of a mailed link; works once",
  description:
    "What accepts is the token alone, so no access token is needed. The answer has the link that hands the key over, which is mailed, too.",
  permission: "public",
  body: tokenBody,
  idempotent: true,
  response: z.strictObject({ claim: claimLink }).meta({ id: "OfferLinkAccepted" }),
  errors: [
    ...answerErrors,
    "unknown_plan",
    "unknown_developer",
    "keyless_plan",
    "mixed_auth_types",
  ],
  example: { token: exampleOfferToken },
});

/** Says no by the link, or something else. */
export const answerOfferByLink = defineEndpoint({
  id: "answerOfferByLink",
  method: "POST",
  path: "/v1/offers/answer",
  tag,
  summary: "Turn an offer down, or answer it, with the token of a mailed link; works once",
  description: "The request waits for people again. Afterwards that offer can't be accepted.",
  permission: "public",
  body: z.object({
    token,
    turn_down: z.boolean(),
    words: z.string().trim().max(2000).optional().meta({
      description: "For those who decide; needed where it is not turned down.",
    }),
  }).refine(({ turn_down, words }) => turn_down || (words ?? "") !== "", {
    error: "required where the offer is not turned down",
    path: ["words"],
  }).meta({ id: "OfferLinkAnswerInput" }),
  idempotent: true,
  response: z.strictObject({ state: z.enum(["turned_down", "answered"]) })
    .meta({ id: "OfferLinkAnswered" }),
  errors: [...answerErrors],
  example: { token: exampleOfferToken, turn_down: true },
});

/** The page that a mailed link leads to; reading it answers nothing. */
export const offerPage = definePublicPage({
  id: "offerPage",
  path: "/offer",
  tag,
  type: "text/html",
  summary: "The page of a link that answers an offer",
  description:
    "For the browser of whoever was mailed a link. The token stands behind `#`, so that reading the page tells no server. In English or German, as the browser accepts.",
  answerHeaders: { vary: "`accept-language`: the page is written in one of its languages." },
});

/** What that page runs. */
export const offerScript = definePublicPage({
  id: "offerScript",
  path: "/offer.js",
  tag,
  type: "text/javascript",
  summary: "The script of the page that answers an offer",
  description: "Loaded by the page itself.",
});
