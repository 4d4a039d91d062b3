import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import {
  newRecoveryCodes,
  plainCode,
  RECOVERY_CODES,
  recoveryHash,
  secretFor,
  secretOfTicket,
  stepOfCode,
  uriOf,
} from "./one-time-code.ts";
import type {
  beginOneTimeCodes,
  createOneTimeCodes,
  getOneTimeCodes,
  renewRecoveryCodes as renewEndpoint,
} from "./one-time-codes.contract.ts";
import { countRecoveryCodes, findOneTimeSecret } from "./one-time-codes.store.ts";
import {
  renewRecoveryCodes,
  setUpOneTimeCodes,
  takeAwayOneTimeCodes,
} from "./one-time-codes.transactions.ts";
import { requireWhole } from "./passkeys.service.ts";
import { administrationOf } from "./people.service.ts";
import { findPerson } from "./people.store.ts";
import { sessionOf } from "./session-of.ts";

/** Whether the caller has one-time codes. */
export async function get(
  { principal: { org_id, user_id }, storage: { reader } }: RequestContext,
): Promise<z.output<typeof getOneTimeCodes.response>> {
  const row = await findOneTimeSecret(reader, { org_id, user_id });
  return {
    set_up_at: row?.created_at ?? null,
    last_used_at: row?.last_used_at ?? null,
    recovery_codes: row ? await countRecoveryCodes(reader, { org_id, user_id }) : 0,
  };
}

/** A fresh secret for the caller's app. Throws what requireWhole throws. */
export async function begin(
  ctx: RequestContext,
): Promise<z.output<typeof beginOneTimeCodes.response>> {
  await requireWhole(ctx);
  const { principal: { org_id, user_id }, storage: { reader }, sealer, clock } = ctx;
  const person = await findPerson(reader, { org_id, id: user_id });
  if (!person) throw new Failure("not_found");
  const session = sessionOf(ctx.principal).id;
  const { secret, ticket, until } = secretFor(sealer, org_id, session, clock.now());
  const uri = uriOf(person.email ?? person.name, secret);
  return { secret, uri, ticket, expires_at: toTimestamp(until) };
}

/** Sets up what `begin` began. Throws what requireWhole throws, `first_code_refused`. */
export async function setUp(
  ctx: RequestContext,
  { ticket, code }: { ticket: string; code: string },
): Promise<z.output<typeof createOneTimeCodes.response>> {
  await requireWhole(ctx);
  const { principal: { org_id }, storage, sealer, clock } = ctx;
  const now = clock.now();
  const session_id = sessionOf(ctx.principal).id;
  const shown = secretOfTicket(sealer, org_id, session_id, { ticket, now });
  const step = shown && stepOfCode(shown.secret, plainCode(code), now);
  if (!shown || step === undefined) throw new Failure("first_code_refused");
  const fresh = freshRecovery(ctx);
  const { created_at } = await storage.commit(setUpOneTimeCodes, {
    actor: actorOf(ctx.principal, now),
    session_id,
    proved: {
      secret: shown.secret,
      step,
      // Of the secret: a ticket can be written in several ways.
      spent: {
        hash: sha256(`one-time secret\0${shown.secret}`),
        expires_at: toTimestamp(shown.until),
      },
    },
    recovery: fresh.hashes,
  });
  return {
    set_up_at: created_at,
    last_used_at: null,
    recovery_codes: RECOVERY_CODES,
    codes: fresh.codes,
  };
}

/** Makes the caller's recovery codes anew. Throws `not_found`, and what requireWhole throws. */
export async function renewRecovery(
  ctx: RequestContext,
): Promise<z.output<typeof renewEndpoint.response>> {
  await requireWhole(ctx);
  const { codes, hashes } = freshRecovery(ctx);
  await ctx.storage.commit(renewRecoveryCodes, {
    actor: actorOf(ctx.principal, ctx.clock.now()),
    session_id: sessionOf(ctx.principal).id,
    recovery: hashes,
  });
  return { codes };
}

function freshRecovery({ principal: { org_id, user_id } }: RequestContext) {
  const codes = newRecoveryCodes();
  return { codes, hashes: codes.map((code) => recoveryHash({ org_id, user_id }, code)) };
}

/** Removes the caller's codes. Throws `not_found`, `last_administrator`, as requireWhole does. */
export async function remove(ctx: RequestContext): Promise<void> {
  await requireWhole(ctx);
  await ctx.storage.commit(takeAwayOneTimeCodes, administrationOf(ctx));
}
