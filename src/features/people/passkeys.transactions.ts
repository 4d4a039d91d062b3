import type { Actor } from "../../changes/audit.ts";
import { recordAlone, recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { isInForce } from "./access-token.ts";
import { findAccessToken } from "./access-tokens.store.ts";
import { lockOrganisation } from "./organisations.store.ts";
import { MOST_PASSKEYS, passkeyPlace, type ProvedPasskey } from "./passkey.ts";
import {
  insertPasskey,
  passkeysOf,
  removePasskey,
  renamePasskey,
  spendChallenge,
  usePasskey,
} from "./passkeys.store.ts";
import { activePerson, type Administration, keepAdministered } from "./people.transactions.ts";
import { lockSessionsOf, sessionsOf } from "./sessions.store.ts";
import { ensureSignInRow } from "./sign-in-row.ts";

/** A passkey that an authenticator made, and that was looked at. */
interface NewPasskey {
  id: string;
  handle: string;
  rp_id: string;
  name: string;
  /** JSON text of what verifies it. */
  public_key: string;
  /** Of the public key, as RFC 7638 has it: by it the audit log knows the key again. */
  thumbprint: string;
  counter: number;
  challenge: { hash: string; expires_at: string };
}

/**
 * Gives the caller a passkey. Throws `not_authorised` where their session or what it is on has
 * ended at this very moment, `passkey_refused` where its challenge was answered before,
 * `passkey_taken`, `too_many_passkeys`.
 */
export const addPasskey = defineTransaction(
  "access.add-passkey",
  async (
    tx,
    input: { actor: Actor; session_id: string; passkey: NewPasskey },
  ): Promise<{ created_at: string }> => {
    const { actor, session_id, passkey: { challenge, public_key, thumbprint, ...passkey } } = input;
    const { org_id, user_id, now } = actor;
    await lockOrganisation(tx, { org_id });
    await activePerson(tx, org_id, user_id);
    await requireSession(tx, actor, session_id);
    if (!await spendChallenge(tx, { org_id, ...challenge })) throw new Failure("passkey_refused");
    const own = await passkeysOf(tx, { org_id, user_id });
    if (own.length >= MOST_PASSKEYS) throw new Failure("too_many_passkeys");
    const created_at = toTimestamp(now);
    const sealed = tx.sealer.seal(passkeyPlace(org_id, passkey.id), public_key);
    const row = { org_id, user_id, ...passkey, public_key: sealed, created_at };
    if (!await insertPasskey(tx, row)) throw new Failure("passkey_taken");
    await ensureSignInRow(tx, { org_id, user_id, now });
    await recordChange(tx, actor, {
      action: "passkey.created",
      object_id: passkey.id,
      detail: { person_id: user_id, thumbprint },
      personal: { "/name": passkey.name },
    });
    return { created_at };
  },
  { withoutRoom: true },
);

/**
 * Holds the person's sessions, or anyone who ends one could leave behind what it adds. Throws
 * `not_authorised` where this one or what it is on has ended.
 */
export async function requireSession(
  tx: Tx,
  actor: Actor,
  session_id: string,
): Promise<void> {
  const { org_id, user_id, token_id, now } = actor;
  await lockSessionsOf(tx, { org_id, id: user_id });
  const sessions = await sessionsOf(tx, { org_id, user_id });
  const token = await findAccessToken(tx, { org_id, id: token_id });
  const isThere = sessions.some(({ id }) => id === session_id);
  if (!isThere || !token || !isInForce(token, now)) throw new Failure("not_authorised");
}

/**
 * Uses a passkey that was proved: its challenge is spent, and its counter goes on. Throws
 * `not_authorised` where either was so already.
 */
export async function takePasskey(tx: Tx, proved: ProvedPasskey, at: string): Promise<void> {
  const { org_id, id, counter, challenge } = proved;
  const isFresh = await spendChallenge(tx, { org_id, ...challenge });
  if (!isFresh || !await usePasskey(tx, { org_id, id, counter, at })) {
    throw new Failure("not_authorised");
  }
}

/** Names a passkey of the caller. Throws `not_found`. */
export const namePasskey = defineTransaction(
  "access.name-passkey",
  async (tx, input: { actor: Actor; id: string; name: string }): Promise<null> => {
    const { actor, id, name } = input;
    const { org_id, user_id } = actor;
    if (!await renamePasskey(tx, { org_id, user_id, id, name })) throw new Failure("not_found");
    await recordAlone(tx, actor, {
      action: "passkey.updated",
      object_id: id,
      personal: { "/name": name },
    });
    return null;
  },
);

/** Removes a passkey of the caller. Throws `not_found`, `last_administrator`. */
export const takeAwayPasskey = defineTransaction(
  "access.remove-passkey",
  async (tx, input: Administration & { id: string }): Promise<null> => {
    const { actor, id } = input;
    const { org_id, user_id } = actor;
    await lockOrganisation(tx, { org_id });
    await keepAdministered(tx, input, async () => {
      if (!await removePasskey(tx, { org_id, user_id, id })) throw new Failure("not_found");
    });
    await recordChange(tx, actor, {
      action: "passkey.deleted",
      object_id: id,
      detail: { person_id: user_id },
    });
    return null;
  },
  { withoutRoom: true },
);
