import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { shownPasskey } from "../access/passkeys.service.ts";
import { passkeysOf } from "../access/passkeys.store.ts";
import { administrationOf } from "../access/people.service.ts";
import { findPerson } from "../access/people.store.ts";
import { accountsOf } from "../identity/provider-sign-in.service.ts";
import type { deletePersonPasskey, listWaysIn } from "./ways-in.contract.ts";
import { takeAwayAccountOf, takeAwayPasskeyOf } from "./ways-in.transactions.ts";

type Removed = z.output<typeof deletePersonPasskey.response>;

/** By what a person gets in besides access tokens. Throws `not_found`. */
export async function list(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof listWaysIn.response>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  if (!await findPerson(reader, { org_id, id })) throw new Failure("not_found");
  const passkeys = (await passkeysOf(reader, { org_id, user_id: id })).map(shownPasskey);
  return { passkeys, identities: (await accountsOf(ctx, id)).data };
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

/** Unlinks an account of a person. Throws what the endpoint lists. */
export async function removeIdentity(
  ctx: RequestContext,
  person_id: string,
  id: string,
): Promise<Removed> {
  const input = { ...administrationOf(ctx), person_id, id };
  return { removed: true, sessions_ended: await ctx.storage.commit(takeAwayAccountOf, input) };
}
