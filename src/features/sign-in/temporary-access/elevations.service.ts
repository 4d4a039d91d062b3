import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf, may } from "../../../calls/principal.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { newNonce } from "../../people/decision-nonce.ts";
import { givenNow, openedRule, roleNow } from "../../people/elevation.ts";
import {
  type ElevationRow,
  elevationRulesOf,
  elevationsOf,
  elevationsUnderWay,
} from "../../people/elevations.store.ts";
import { provedSignature } from "../../people/passkey-signature.service.ts";
import { challengeFor } from "../../people/passkey-signature.ts";
import { siteOf } from "../../people/passkeys.service.ts";
import { sessionOf } from "../../people/session-of.ts";
import type { elevationChallenge, elevationInput, ownElevations } from "./elevations.contract.ts";
import {
  type Asked,
  beginElevation,
  confirmAsked,
  elevationToSign,
  endByHand,
} from "./elevations.transactions.ts";
import { showElevation, type ShownElevation } from "./shown-elevation.ts";

type Sent = z.output<typeof elevationInput>;

/** Those of the organisation, newest first. */
export async function list(ctx: RequestContext): Promise<{ data: ShownElevation[] }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const data: ShownElevation[] = [];
  for (const row of await elevationsOf(reader, { org_id })) data.push(await show(ctx, row));
  return { data };
}

/** What the caller may do of it. Throws `not_found` for a call by access token. */
export async function own(
  ctx: RequestContext,
): Promise<z.output<typeof ownElevations>> {
  const { storage: { reader }, sealer, principal, clock } = ctx;
  const { id: session_id } = sessionOf(principal);
  const { org_id, user_id } = principal;
  const waiting = (row: ElevationRow) => Date.parse(row.expires_at) > clock.now();
  const underWay = (await elevationsUnderWay(reader, { org_id })).filter(waiting);
  const mine = underWay.find((row) => row.person_id === user_id);
  const rules: z.output<typeof ownElevations>["rules"] = [];
  const to_confirm: ShownElevation[] = [];
  for (const row of await elevationRulesOf(reader, { org_id })) {
    const rule = openedRule(sealer, row);
    if (!rule) continue;
    const { id, name, role, minutes, proof } = rule;
    if (rule.people.includes(user_id)) {
      const called = await roleNow(reader, sealer, { org_id, role });
      const permissions = await givenNow(reader, sealer, org_id, rule);
      rules.push({
        id,
        name,
        role: { id: role, name: called?.name ?? "" },
        permissions,
        minutes,
        proof,
      });
    }
    if (!rule.seconds.includes(user_id)) continue;
    for (const one of underWay) {
      const isAsked = one.state === "asked" && one.rule_id === id && one.person_id !== user_id;
      if (isAsked) to_confirm.push(await show(ctx, one));
    }
  }
  return {
    elevation: mine ? await show(ctx, mine) : null,
    here: mine?.session_id === session_id,
    rules,
    to_confirm,
  };
}

/** What the caller signs. Throws what the endpoint lists. */
export async function challenge(
  ctx: RequestContext,
  sent: Omit<Sent, "signature">,
  host: string | null,
): Promise<z.output<typeof elevationChallenge>> {
  const asked = askedOf(ctx, sent);
  const { rpId: rp_id } = siteOf(ctx, host);
  const given = newNonce(ctx.sealer, asked.session_id, asked.actor.now);
  const { content, ends } = await ctx.storage.commit(elevationToSign, {
    ...asked,
    nonce: given.nonce,
  });
  const challenge = challengeFor(content);
  return { ...given, challenge, rp_id, ends, content: canonicalJson(content) };
}

/** Elevates the caller, or asks for a second person. Throws what the endpoint lists. */
export async function start(
  ctx: RequestContext,
  { signature, ...sent }: Sent,
  host: string | null,
): Promise<ShownElevation> {
  const asked = askedOf(ctx, sent);
  const proved = signature && await provedSignature(ctx, signature, host);
  const signed = proved === undefined
    ? null
    : proved === "refused"
    ? proved
    : { proved, ends: signature?.ends ?? "" };
  const id = newId(asked.actor.now);
  return await show(ctx, await ctx.storage.commit(beginElevation, { ...asked, id, signed }));
}

/** Says yes as a second person. Throws what the endpoint lists. */
export async function confirm(ctx: RequestContext, id: string): Promise<ShownElevation> {
  const { principal, clock, settings } = ctx;
  const { id: session_id } = sessionOf(principal);
  const actor = actorOf(principal, clock.now());
  const input = { actor, session_id, id, idleMs: settings.sessionIdleMs };
  return await show(ctx, await ctx.storage.commit(confirmAsked, input));
}

/** Ends one. Throws what the endpoint lists. */
export async function end(ctx: RequestContext, id: string): Promise<ShownElevation> {
  const { principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  // People and settings are outside of every scope.
  const isAdministrator = may(principal, "admin") && principal.covers === undefined;
  return await show(ctx, await ctx.storage.commit(endByHand, { actor, id, isAdministrator }));
}

function askedOf(
  ctx: RequestContext,
  { rule_id, reason, minutes }: Omit<Sent, "signature">,
): Asked {
  const { principal, clock } = ctx;
  const { id: session_id } = sessionOf(principal);
  if (principal.elevation) throw new Failure("elevated_already");
  return { actor: actorOf(principal, clock.now()), session_id, rule_id, reason, minutes };
}

function show(ctx: RequestContext, row: ElevationRow): Promise<ShownElevation> {
  return showElevation(ctx.storage.reader, ctx.sealer, row);
}
