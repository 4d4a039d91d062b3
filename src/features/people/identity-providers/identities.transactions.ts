import type { ActingCall, Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { identitiesOf } from "../identities.store.ts";
import { isManagedLink } from "../identity-link.ts";
import { lockOrganisation } from "../organisations.store.ts";
import { spendChallenge } from "../passkeys.store.ts";
import { lockSessionsOf, sessionsAtProvider, sessionsOf } from "../sessions.store.ts";
import { endOne } from "../end-session.transactions.ts";
import { findIdentityByHandle, removeIdentity } from "./identity.store.ts";
import type { ProvedLogout } from "./logout-token.ts";

/**
 * Unlinks an account of the caller, and ends the sessions that began with it, but the one that
 * calls, which has just proved itself. Throws `not_found`, and `added_by_provider` for the account
 * of a person whom its provider added.
 */
export const takeAwayIdentity = defineTransaction(
  "identity.unlink",
  async (tx, input: { actor: Actor; session_id: string; id: string }): Promise<null> => {
    const { actor, session_id, id } = input;
    const { org_id, user_id } = actor;
    // So that no one signs in by it meanwhile.
    await lockOrganisation(tx, { org_id });
    const row = (await identitiesOf(tx, { org_id, user_id })).find((one) => one.id === id);
    if (!row) throw new Failure("not_found");
    // Unlinked, it would be another person's at its next sign-in, and these permissions for ever.
    if (isManagedLink(tx.sealer, row)) throw new Failure("added_by_provider");
    await removeIdentity(tx, { org_id, user_id, id });
    for (const session of await sessionsOf(tx, { org_id, user_id })) {
      if (session.identity_id !== id || session.id === session_id) continue;
      await endOne(tx, actor, session.id, { reason: "its account was unlinked" });
    }
    await recordChange(tx, actor, {
      action: "identity.deleted",
      object_id: id,
      detail: { person_id: user_id },
    });
    return null;
  },
  { withoutRoom: true },
);

/** The account of a logout: that which it names, else of the session that it names. */
async function identityBehind(
  tx: Tx,
  org_id: string,
  handle: string | null,
  rows: readonly { user_id: string; identity_id: string | null }[],
) {
  if (handle !== null) return await findIdentityByHandle(tx, { handle });
  const [row] = rows;
  if (!row) return undefined;
  const own = await identitiesOf(tx, { org_id, user_id: row.user_id });
  return own.find((one) => one.id === row.identity_id);
}

/**
 * Ends the sessions that a provider ends, and tells how many those were. Throws `logout_refused`
 * where it said so before.
 */
export const endByLogout = defineTransaction(
  "identity.end-sessions",
  async (
    tx,
    input: { logout: ProvedLogout; now: number; call?: ActingCall | undefined },
  ): Promise<number> => {
    const { logout: { org_id, handle, provider_session, spent, ends }, now, call } = input;
    if (!await spendChallenge(tx, { org_id, ...spent })) throw new Failure("logout_refused");
    const rows = provider_session === null
      ? []
      : (await sessionsAtProvider(tx, { provider_session })).filter((row) => row.org_id === org_id);
    const identity = await identityBehind(tx, org_id, handle, rows);
    const ending = handle === null ? rows : rows.filter((row) => row.identity_id === identity?.id);
    if (identity && (handle !== null || ends !== "named")) {
      const { user_id } = identity;
      await lockSessionsOf(tx, { org_id, id: user_id });
      // The account alone, or as is set: all of it, and of whom its provider added also what began
      // otherwise. With a session's name else also those that have none.
      const isManaged = isManagedLink(tx.sealer, identity);
      const isWhole = provider_session === null || ends === "all" || ends === "added" && isManaged;
      const own = (await sessionsOf(tx, { org_id, user_id })).filter((row) =>
        isWhole && isManaged || row.identity_id === identity.id &&
          (isWhole || handle !== null && row.provider_session === null)
      );
      ending.push(...own.map((row) => ({ ...row, org_id, user_id })));
    }
    let ended = 0;
    for (const { id, user_id, token_id } of ending) {
      const actor = { org_id, user_id, token_id, now, call };
      if (await endOne(tx, actor, id, { reason: "ended by the identity provider" })) ended++;
    }
    return ended;
  },
  { withoutRoom: true },
);
