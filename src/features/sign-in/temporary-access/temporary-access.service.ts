import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf, may } from "../../../calls/principal.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { newNonce } from "../../people/decision-nonce.ts";
import { givenNow, openedRule, roleNow } from "../../people/temporary-access.ts";
import {
  temporaryAccessesOf,
  temporaryAccessesUnderWay,
  type TemporaryAccessRow,
  temporaryAccessRulesOf,
} from "../../people/temporary-access.store.ts";
import { provedSignature } from "../../people/passkey-signature.service.ts";
import { challengeFor } from "../../people/passkey-signature.ts";
import { siteOf } from "../../people/passkeys.service.ts";
import { sessionOf } from "../../people/session-of.ts";
import type {
  ownTemporaryAccess,
  temporaryAccessChallenge,
  temporaryAccessInput,
} from "./temporary-access.contract.ts";
import {
  type Asked,
  beginTemporaryAccess,
  confirmAsked,
  endByHand,
  temporaryAccessToSign,
} from "./temporary-access.transactions.ts";
import {
  type SerializedTemporaryAccess,
  serializedTemporaryAccess,
} from "./serialized-temporary-access.ts";

type Sent = z.output<typeof temporaryAccessInput>;

/** Those of the organisation, newest first. */
export async function list(ctx: RequestContext): Promise<{ data: SerializedTemporaryAccess[] }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const data: SerializedTemporaryAccess[] = [];
  for (const row of await temporaryAccessesOf(reader, { org_id })) {
    data.push(await serialize(ctx, row));
  }
  return { data };
}

/** The caller's possible actions. Throws `not_found` for a call by access token. */
export async function own(
  ctx: RequestContext,
): Promise<z.output<typeof ownTemporaryAccess>> {
  const { storage: { reader }, sealer, principal, clock } = ctx;
  const { id: session_id } = sessionOf(principal);
  const { org_id, user_id } = principal;
  const waiting = (row: TemporaryAccessRow) => Date.parse(row.expires_at) > clock.now();
  const underWay = (await temporaryAccessesUnderWay(reader, { org_id })).filter(waiting);
  const mine = underWay.find((row) => row.person_id === user_id);
  const rules: z.output<typeof ownTemporaryAccess>["rules"] = [];
  const to_confirm: SerializedTemporaryAccess[] = [];
  for (const row of await temporaryAccessRulesOf(reader, { org_id })) {
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
      if (isAsked) to_confirm.push(await serialize(ctx, one));
    }
  }
  return {
    temporary_access: mine ? await serialize(ctx, mine) : null,
    in_this_session: mine?.session_id === session_id,
    rules,
    to_confirm,
  };
}

/** The challenge that the caller signs. Throws the errors that the endpoint lists. */
export async function challenge(
  ctx: RequestContext,
  sent: Omit<Sent, "signature">,
  host: string | null,
): Promise<z.output<typeof temporaryAccessChallenge>> {
  const asked = askedOf(ctx, sent);
  const { rpId: rp_id } = siteOf(ctx, host);
  const given = newNonce(ctx.sealer, asked.session_id, asked.actor.now);
  const { content, ends: access_expires_at } = await ctx.storage.commit(temporaryAccessToSign, {
    ...asked,
    nonce: given.nonce,
  });
  const challenge = challengeFor(content);
  return { ...given, challenge, rp_id, access_expires_at, content: canonicalJson(content) };
}

/**
 * Gives the caller temporary access, or asks for a second person. Throws what the endpoint lists.
 */
export async function start(
  ctx: RequestContext,
  { signature, ...sent }: Sent,
  host: string | null,
): Promise<SerializedTemporaryAccess> {
  const asked = askedOf(ctx, sent);
  const proved = signature && await provedSignature(ctx, signature, host);
  const signed = proved === undefined
    ? null
    : proved === "refused"
    ? proved
    : { proved, ends: signature?.access_expires_at ?? "" };
  const id = newId(asked.actor.now);
  return await serialize(
    ctx,
    await ctx.storage.commit(beginTemporaryAccess, { ...asked, id, signed }),
  );
}

/** Says yes as a second person. Throws what the endpoint lists. */
export async function confirm(ctx: RequestContext, id: string): Promise<SerializedTemporaryAccess> {
  const { principal, clock, settings } = ctx;
  const { id: session_id } = sessionOf(principal);
  const actor = actorOf(principal, clock.now());
  const input = { actor, session_id, id, idleMs: settings.sessionIdleMs };
  return await serialize(ctx, await ctx.storage.commit(confirmAsked, input));
}

/** Ends one. Throws what the endpoint lists. */
export async function end(ctx: RequestContext, id: string): Promise<SerializedTemporaryAccess> {
  const { principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  // People and settings are outside of every scope.
  const isAdministrator = may(principal, "admin") && principal.covers === undefined;
  return await serialize(ctx, await ctx.storage.commit(endByHand, { actor, id, isAdministrator }));
}

function askedOf(
  ctx: RequestContext,
  { rule_id, reason, minutes }: Omit<Sent, "signature">,
): Asked {
  const { principal, clock } = ctx;
  const { id: session_id } = sessionOf(principal);
  if (principal.temporaryAccess) throw new Failure("temporary_access_already");
  return { actor: actorOf(principal, clock.now()), session_id, rule_id, reason, minutes };
}

function serialize(
  ctx: RequestContext,
  row: TemporaryAccessRow,
): Promise<SerializedTemporaryAccess> {
  return serializedTemporaryAccess(ctx.storage.reader, ctx.sealer, row);
}
