import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { endingOf } from "./ending.ts";
import { anyChosenIdsOf } from "./chosen-keys.store.ts";
import { hasMurmurKeys } from "./murmur.store.ts";
import { ID_LENGTHS, murmurIdsOf } from "./murmur.ts";
import { type KeyNames, revokeNamed } from "./revoke-named.transactions.ts";

/**
 * Revokes the OAuth client of this client_id or key id. Throws `not_found_for_deletion`, for a
 * revoked one too.
 */
export async function revokeOAuthClient(ctx: RequestContext, client: string): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const names = { ids: [sha256(client), ...KEY_ID.test(client) ? [client] : []], formerIds: [] };
  const ending = endingOf(ctx.principal, ctx.settings, actor.now);
  const input = { actor, names, owner: null, kind: "oauth" as const, reason: "deleted", ending };
  try {
    await ctx.storage.commit(revokeNamed, input);
  } catch (error) {
    const isNone = error instanceof Failure && error.code === "key_not_found";
    throw isNone ? new Failure("not_found_for_deletion") : error;
  }
}

/** The possible names of a key if `named` is its id, or the key itself. */
export async function namesOf(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  named: string,
): Promise<KeyNames> {
  const ids = idsOf(named);
  const asId = ids.slice(1);
  const murmurIds = await hasMurmurKeys(reader, { org_id }) ? await murmurIdsOf(named) : [];
  const chosenIds = await anyChosenIdsOf(reader, org_id, named);
  return {
    ids: [...ids, ...murmurIds, ...chosenIds],
    formerIds: [...asId, ...murmurIds],
  };
}

/** The key ids that `named` has or is, without those that an imported key may have had before. */
export function idsOf(named: string): [sha256: string, ...itself: string[]] {
  return KEY_ID.test(named) ? [sha256(named), named] : [sha256(named)];
}

/** The form of a key id. Any other text is a plain key, and goes no further than its hashes. */
const KEY_ID = new RegExp(
  `^(${Object.values(ID_LENGTHS).map((digits) => `[0-9a-f]{${digits}}`).join("|")})$`,
);
