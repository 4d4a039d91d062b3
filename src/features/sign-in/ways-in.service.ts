import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { findOneTimeSecret } from "../access/one-time-codes.store.ts";
import { shownPasskey } from "../access/passkeys.service.ts";
import { passkeysOf } from "../access/passkeys.store.ts";
import { administrationOf } from "../access/people.service.ts";
import { findPerson } from "../access/people.store.ts";
import { accountsOf } from "../identity/provider-sign-in.service.ts";
import type { deletePersonPasskey, listWaysIn } from "./ways-in.contract.ts";
import { takeAwayAccountOf, takeAwayCodesOf, takeAwayPasskeyOf } from "./ways-in.transactions.ts";

type Removed = z.output<typeof deletePersonPasskey.response>;

/** By what a person gets in besides access tokens. Throws `not_found`. */
export async function list(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof listWaysIn.response>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  if (!await findPerson(reader, { org_id, id })) throw new Failure("not_found");
  const passkeys = (await passkeysOf(reader, { org_id, user_id: id })).map(shownPasskey);
  const codes = await findOneTimeSecret(reader, { org_id, user_id: id });
  return {
    passkeys,
    identities: (await accountsOf(ctx, id)).data,
    one_time_codes: codes
      ? { set_up_at: codes.created_at, last_used_at: codes.last_used_at }
      : null,
  };
}

/** Removes a passkey of a person. Throws what the endpoint lists. */
export async function removePasskey(
  ctx: RequestContext,
  person_id: string,
  id: string,
): Promise<Removed> {
  const input = { ...administrationOf(ctx), person_id, id };
  return { removed: true, sessions_ended: await ctx.storage.commit(takeAwayPasskeyOf, input) };
}

/** Removes the one-time codes of a person. Throws what the endpoint lists. */
export async function removeOneTimeCodes(
  ctx: RequestContext,
  person_id: string,
): Promise<Removed> {
  const input = { ...administrationOf(ctx), person_id };
  return { removed: true, sessions_ended: await ctx.storage.commit(takeAwayCodesOf, input) };
}

/** Unlinks an account of a person. Throws what the endpoint lists. */
export async function removeIdentity(
  ctx: RequestContext,
  person_id: string,
  id: string,
): Promise<Removed> {
  const input = { ...administrationOf(ctx), person_id, id };
  return { removed: true, sessions_ended: await ctx.storage.commit(takeAwayAccountOf, input) };
}
