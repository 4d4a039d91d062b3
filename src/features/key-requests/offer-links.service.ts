import type { z } from "zod";
import type { Actor } from "../../changes/audit.ts";
import type { RequestContext } from "../../calls/context.ts";
import { actingCall, type Idempotency } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { publicBrand } from "../branding/public-brand.ts";
import { claimLink, newClaim } from "../keys/claims/claim.ts";
import { newAttempt } from "../keys/credential.ts";
import { namesOfPlans } from "../plans/plan-counts.store.ts";
import type { DecidedOn } from "./decided-on.ts";
import { isTheirs, OFFER_LINK, readOfferToken } from "./offer-link.ts";
import type { acceptOfferByLink, answerOfferByLink, previewOffer } from "./offer-links.contract.ts";
import { type Offer, offerIn, offerState } from "./offer.ts";
import { acceptOffer, answerOffer } from "./offers.transactions.ts";
import { termsOf } from "./stored-request.ts";
import { findV1, type V1Row } from "./v1.store.ts";

type Preview = z.output<typeof previewOffer.response>;

/** What a token would accept, and what became of it; it stays as it is. See `linked`. */
export async function preview(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<Preview> {
  const { storage: { reader }, sealer, clock } = ctx;
  const { org_id, row, offer_id } = await linked(ctx, token, address);
  const developer = { org_id, developer_id: row.by_user };
  const stored = offerOf(row, offer_id);
  const offer = stored && await isTheirs(reader, sealer, developer, stored) ? stored : null;
  const asked = termsOf(row).plans;
  const offered = offer?.terms.plans ?? null;
  const names = await namesOfPlans(reader, org_id, [...asked, ...offered ?? []]);
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
}

/** Accepts by the token of a mailed link, once. See `linked` and acceptOffer. */
export async function accept(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
  idempotency: Idempotency,
): Promise<z.output<typeof acceptOfferByLink.response>> {
  const { storage, settings, clock } = ctx;
  // Of the first call, where this one repeats it.
  const claim = await storage.commit(acceptOffer, {
    ...answerBy(ctx, await linked(ctx, token, address), idempotency),
    attempt: newAttempt(settings.keyFormat),
    claim: newClaim(clock.now(), settings.claimLifeSeconds),
  });
  const { id, expires_at } = claim;
  return { claim: { id, link: claimLink(settings.publicUrl, claim.token), expires_at } };
}

/** Turns it down, or answers it, once. See `linked` and answerOffer. */
export async function answer(
  ctx: RequestContext,
  { token, turn_down, words = "" }: z.output<typeof answerOfferByLink.body & z.ZodType>,
  address: string | undefined,
  idempotency: Idempotency,
): Promise<z.output<typeof answerOfferByLink.response>> {
  const state = turn_down ? "turned_down" as const : "answered" as const;
  const by = answerBy(ctx, await linked(ctx, token, address), idempotency);
  await ctx.storage.commit(answerOffer, { ...by, state, words });
  return { state };
}

/** A request that a token leads to, and the offer that it is of. */
interface Linked {
  org_id: string;
  offer_id: string;
  row: V1Row;
}

/**
 * The request of a token. Throws `offer_link_gone`, and `too_many_requests` once `address`, the
 * visitor's, or this very token was wrong too often. Tokens are guessed at like claims'.
 */
async function linked(
  { storage: { reader }, sealer, attempts }: RequestContext,
  token: string,
  address: string | undefined,
): Promise<Linked> {
  const credential = sha256(token);
  const refused = () =>
    attempts.failed("claim", { address, credential }) ?? new Failure("offer_link_gone");
  if (attempts.isWrong("claim", credential)) throw refused();
  const named = readOfferToken(sealer, token);
  if (!named) throw refused();
  const { org_id, request_id, offer_id } = named;
  const row = await findV1(reader, { org_id, id: request_id });
  // It was a link once: its request is deleted.
  if (!row) throw new Failure("offer_link_gone");
  return { org_id, offer_id, row };
}

/** Whoever holds the link answers for the developer. */
function answerBy(
  { clock, principal }: RequestContext,
  { org_id, offer_id, row }: Linked,
  idempotency: Idempotency,
) {
  const acting = actingCall(principal);
  const now = clock.now();
  const actor: Actor = { org_id, user_id: OFFER_LINK, token_id: "", now, call: acting };
  // The link is who calls: nobody gets the answer that another's was given.
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
