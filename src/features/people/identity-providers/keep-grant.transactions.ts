import { toTimestamp } from "../../../kernel/clock.ts";
import type { Tx } from "../../../storage/storage.ts";
import type { ProviderTerms } from "./identity-provider.ts";
import type { ProvedAccount } from "./provider-answer.ts";
import { grantPlace, type GrantRow, insertGrant, type KeptGrant } from "./provider-grants.store.ts";

const MINUTE_MS = 60_000;

/**
 * How long a session lasts at the most by its provider's terms, in milliseconds: as long as any,
 * where the provider is asked again whether its account is still good.
 */
export function boundOf(
  { session_minutes }: ProviderTerms,
  { refresh_token }: Pick<ProvedAccount, "refresh_token">,
): number {
  return refresh_token !== null || session_minutes === null
    ? Infinity
    : session_minutes * MINUTE_MS;
}

/** Keeps by what the provider of a session is asked again; nothing where it gave nothing. */
export async function keepGrant(
  tx: Tx,
  { recheck_minutes, for: kind }: ProviderTerms,
  { org_id, provider_id, subject, refresh_token }: ProvedAccount,
  session: Pick<GrantRow, "id" | "identity_id" | "owner_id" | "expires_at"> & { now: number },
): Promise<void> {
  if (refresh_token === null) return;
  const { id, identity_id, owner_id, expires_at, now } = session;
  const kept: KeptGrant = { subject, refresh_token };
  await insertGrant(tx, {
    org_id,
    id,
    provider_id,
    identity_id,
    owner_id,
    kind,
    token: tx.sealer.seal(grantPlace(org_id, id), JSON.stringify(kept)),
    next_at: toTimestamp(now + recheck_minutes * MINUTE_MS),
    expires_at,
  });
}
