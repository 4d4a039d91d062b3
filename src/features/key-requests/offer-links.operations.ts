import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actingCall, type Idempotency } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { issuedOneTimeLink } from "../../contract/one-time-link.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { definePublicPage } from "../../contract/public-page.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { branding } from "../branding/branding.contract.ts";
import { publicBrand } from "../branding/public-brand.ts";
import {
  newOneTimeLink,
  oneTimeLinkUrl as oneTimeLinkUrlOf,
} from "../keys/one-time-links/one-time-link.ts";
import link from "../keys/one-time-links/link.browser.js?text" with { type: "text" };
import { languagePage, writtenPage } from "../keys/one-time-links/written-page.ts";
import { granted } from "../keys/conditions.contract.ts";
import { newAttempt } from "../keys/key-kinds.ts";
import { namesOfEveryPlan } from "../plans/plan-counts.store.ts";
import type { DecidedOn } from "./decided-on.ts";
import { isTheirs, OFFER_LINK, readOfferToken } from "./offer-link.ts";
import { offerHtml } from "./offer-page.ts";
import script from "./offer.browser.js?text" with { type: "text" };
import { type Offer, offerIn, offerState } from "./offer.ts";
import { acceptOffer, answerOffer } from "./offers.transactions.ts";
import { termsOf } from "./stored-request.ts";
import { findV1, type V1Row } from "./v1.store.ts";

const tag = "Key requests";

/** The token of the reference's example. */
export const exampleOfferToken = "2".repeat(43);

const token = z.string().min(1).max(2000);

const tokenBody = z.object({ token }).meta({ id: "OfferLinkInput" });

const plans = z.array(z.strictObject({ id: text, name: text }));

const offerLinkPreview = z.strictObject({
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
}).meta({ id: "OfferLinkPreview" });

/** The holder of the token may see the offer and its state. */
export const previewOffer = operation({
  id: "previewOffer",
  method: "POST",
  path: "/v1/offers/preview",
  tag,
  summary: "Read what is offered, and what became of it, with the token of a mailed link",
  description:
    "Changes nothing. A token that is none of an offer is `offer_link_gone`; wrong tokens count as those of one-time links do.",
  permission: "public",
  body: tokenBody,
  response: offerLinkPreview,
  errors: [...bodyErrors, "offer_link_gone", "too_many_requests"],
  example: { token: exampleOfferToken },
  async serve(ctx, call) {
    const { body: { token } } = call;
    const address = ctx.clientAddresses.of(call);
    const { storage: { reader }, sealer, clock } = ctx;
    const { org_id, row, offer_id } = await linked(ctx, token, address);
    const developer = { org_id, developer_id: row.by_user };
    const stored = offerOf(row, offer_id);
    const offer = stored && await isTheirs(reader, sealer, developer, stored) ? stored : null;
    const asked = termsOf(row).plans;
    const offered = offer?.terms.plans ?? null;
    const names = await namesOfEveryPlan(reader, org_id, [...asked, ...offered ?? []]);
    const named = (ids: readonly string[]) => ids.map((id) => ({ id, name: names.get(id) ?? "" }));
    const { name, logo, colour, support } = await publicBrand(reader, org_id);
    return {
      state: stateOf(row, { offer_id, offer }, clock.now()),
      organisation: { name, logo, colour, support },
      asked: named(asked),
      terms: offer?.terms ?? null,
      plans: offered && named(offered),
      message: offer?.message ?? null,
      expires_at: offer?.expires_at ?? null,
    };
  },
});

const answerErrors = [
  ...bodyErrors,
  "offer_link_gone",
  "too_many_requests",
  "not_found",
  "already_decided",
  "no_offer",
] as const;

const offerLinkAccepted = z.strictObject({ one_time_link: issuedOneTimeLink }).meta({
  id: "OfferLinkAccepted",
});

/** Says yes by the link. */
export const acceptOfferByLink = operation({
  id: "acceptOfferByLink",
  method: "POST",
  path: "/v1/offers/accept",
  tag,
  summary: "Accept an offer with the token of a mailed link; works once",
  description:
    "The token alone accepts, so no access token is needed. The answer has the one-time link of the key, which is mailed, too.",
  permission: "public",
  body: tokenBody,
  idempotent: true,
  response: offerLinkAccepted,
  errors: [
    ...answerErrors,
    "unknown_plan",
    "unknown_developer",
    "keyless_plan",
    "mixed_auth_types",
  ],
  example: { token: exampleOfferToken },
  async serve(ctx, call) {
    const { body: { token }, idempotency } = call;
    const address = ctx.clientAddresses.of(call);
    const { storage, settings, clock } = ctx;
    // Of the first call, where this one repeats it.
    const oneTimeLink = await storage.commit(acceptOffer, {
      ...answerBy(ctx, await linked(ctx, token, address), idempotency),
      attempt: newAttempt(settings.keyFormat),
      oneTimeLink: newOneTimeLink(clock.now(), settings.oneTimeLinkLifeSeconds),
    });
    const { id, expires_at } = oneTimeLink;
    return {
      one_time_link: {
        id,
        link: oneTimeLinkUrlOf(settings.publicUrl, oneTimeLink.token),
        expires_at,
      },
    };
  },
});

const offerLinkAnswered = z.strictObject({ state: z.enum(["turned_down", "answered"]) })
  .meta({ id: "OfferLinkAnswered" });

const offerLinkAnswerInput = z.object({
  token,
  turn_down: z.boolean(),
  words: z.string().trim().max(2000).optional().meta({
    description: "For those who decide; needed where it is not turned down.",
  }),
}).refine(({ turn_down, words }) => turn_down || (words ?? "") !== "", {
  error: "required where the offer is not turned down",
  path: ["words"],
}).meta({ id: "OfferLinkAnswerInput" });

/** Says no by the link, or something else. */
export const answerOfferByLink = operation({
  id: "answerOfferByLink",
  method: "POST",
  path: "/v1/offers/answer",
  tag,
  summary: "Turn an offer down, or answer it, with the token of a mailed link; works once",
  description: "The request waits for people again. Afterwards that offer can't be accepted.",
  permission: "public",
  body: offerLinkAnswerInput,
  idempotent: true,
  response: offerLinkAnswered,
  errors: [...answerErrors],
  example: { token: exampleOfferToken, turn_down: true },
  async serve(ctx, call) {
    const { body: { token, turn_down, words = "" }, idempotency } = call;
    const address = ctx.clientAddresses.of(call);
    const state = turn_down ? "turned_down" as const : "answered" as const;
    const by = answerBy(ctx, await linked(ctx, token, address), idempotency);
    await ctx.storage.commit(answerOffer, { ...by, state, words });
    return { state };
  },
});

/** The page that a mailed link leads to; reading it answers nothing. */
export const offerPage = operation({
  ...definePublicPage({
    id: "offerPage",
    path: "/offer",
    tag,
    type: "text/html",
    summary: "The page of a link that answers an offer",
    description:
      "For the browser of a person with a mailed link. The token is behind `#`, so that loading the page sends it to no server. In English or German, as the browser accepts.",
    answerHeaders: { vary: "`accept-language`: the page is written in one of its languages." },
  }),
  serve: languagePage(offerHtml),
});

/** The script of that page. */
export const offerScript = operation({
  ...definePublicPage({
    id: "offerScript",
    path: "/offer.js",
    tag,
    type: "text/javascript",
    summary: "The script of the page that answers an offer",
    description: "Loaded by the page itself.",
  }),
  serve: writtenPage(link + script, "text/javascript"),
});

type Preview = z.output<typeof offerLinkPreview>;

/** A request that a token leads to, and the offer that it is of. */
interface Linked {
  org_id: string;
  offer_id: string;
  row: V1Row;
}

/**
 * The request of a token. Throws `offer_link_gone`, and `too_many_requests` once `address`, the
 * visitor's, or this very token was wrong too often. Tokens are guessed at like one-time links'.
 */
async function linked(
  { storage: { reader }, sealer, attempts }: RequestContext,
  token: string,
  address: string | undefined,
): Promise<Linked> {
  const credential = sha256(token);
  const refused = () =>
    attempts.failed("one_time_link", { address, credential }) ?? new Failure("offer_link_gone");
  if (attempts.isWrong("one_time_link", credential)) throw refused();
  const named = readOfferToken(sealer, token);
  if (!named) throw refused();
  const { org_id, request_id, offer_id } = named;
  const row = await findV1(reader, { org_id, id: request_id });
  // It was a link once: its request is deleted.
  if (!row) throw new Failure("offer_link_gone");
  return { org_id, offer_id, row };
}

/** The holder of the link answers for the developer. */
function answerBy(
  { clock, principal }: RequestContext,
  { org_id, offer_id, row }: Linked,
  idempotency: Idempotency,
) {
  const acting = actingCall(principal);
  const now = clock.now();
  const actor: Actor = { org_id, user_id: OFFER_LINK, token_id: "", now, call: acting };
  // The link is who calls: no one gets the answer that another's was given.
  const call = idempotency && { ...idempotency, org_id, token_id: offer_id, now: actor.now };
  return { actor, id: row.id, offer_id, askedBy: row.by_user, idempotency: call };
}

function offerOf(row: V1Row, offer_id: string) {
  const offer = offerIn(row.offer);
  return offer?.id === offer_id ? offer : null;
}

function stateOf(
  row: V1Row,
  { offer_id, offer }: { offer_id: string; offer: Offer | null },
  now: number,
): Preview["state"] {
  if (row.state === "issued") {
    // as: decidedOn wrote exactly this.
    const known = JSON.parse(row.decided_on ?? "{}") as Partial<DecidedOn>;
    return known.offer_id === offer_id ? "accepted" : "over";
  }
  return row.state === "pending" && offer ? offerState(offer, now) : "over";
}
