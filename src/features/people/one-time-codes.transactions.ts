import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { oneTimePlace, type PersonRef } from "./one-time-code.ts";
import {
  findOneTimeSecret,
  insertRecoveryCode,
  putOneTimeSecret,
  removeOneTimeSecret,
  removeRecoveryCodes,
} from "./one-time-codes.store.ts";
import { lockOrganisation } from "./organisations.store.ts";
import { spendChallenge } from "./passkeys.store.ts";
import { requireSession } from "./passkeys.transactions.ts";
import { activePerson, type Administration, keepAdministered } from "./people.transactions.ts";

/** A secret whose first code was right. */
interface ProvedSecret {
  /** In base32; it is sealed before it is stored. */
  secret: string;
  /** The step of that code, which is taken by it. */
  step: number;
  spent: { hash: string; expires_at: string };
}

/** Hashes of recovery codes that were made before the transaction. */
type Recovery = readonly string[];

/**
 * Sets up one-time codes of the caller, in the place of those before, with recovery codes. Throws
 * `not_authorised` where their session or what it is on has ended at this very moment,
 * `first_code_refused` where the secret was proved before.
 */
export const setUpOneTimeCodes = defineTransaction(
  "access.set-up-one-time-codes",
  async (
    tx,
    input: { actor: Actor; session_id: string; proved: ProvedSecret; recovery: Recovery },
  ): Promise<{ created_at: string }> => {
    const { actor, session_id, proved: { secret, step, spent }, recovery } = input;
    const { org_id, user_id: id, now } = actor;
    await lockOrganisation(tx, { org_id });
    await activePerson(tx, org_id, id);
    await requireSession(tx, actor, session_id);
    if (!await spendChallenge(tx, { org_id, ...spent })) {
      throw new Failure("first_code_refused");
    }
    const created_at = toTimestamp(now);
    const sealed = tx.sealer.seal(oneTimePlace(org_id, id), secret);
    await putOneTimeSecret(tx, { org_id, id, secret: sealed, last_step: step, created_at });
    await replaceRecovery(tx, { org_id, user_id: id }, recovery);
    await recordChange(tx, actor, { action: "person.one_time_codes_set_up", object_id: id });
    return { created_at };
  },
  { withoutRoom: true },
);

async function replaceRecovery(tx: Tx, owner: PersonRef, hashes: Recovery): Promise<void> {
  await removeRecoveryCodes(tx, owner);
  for (const hash of hashes) await insertRecoveryCode(tx, { ...owner, hash });
}

/**
 * Makes recovery codes of the caller anew: those before let no one in. Throws `not_found` where
 * there are no one-time codes, `not_authorised` as above.
 */
export const renewRecoveryCodes = defineTransaction(
  "access.renew-recovery-codes",
  async (
    tx,
    input: { actor: Actor; session_id: string; recovery: Recovery },
  ): Promise<null> => {
    const { actor, session_id, recovery } = input;
    const { org_id, user_id } = actor;
    await lockOrganisation(tx, { org_id });
    await requireSession(tx, actor, session_id);
    const owner = { org_id, user_id };
    if (!await findOneTimeSecret(tx, owner)) throw new Failure("not_found");
    await replaceRecovery(tx, owner, recovery);
    await recordChange(tx, actor, { action: "person.recovery_codes_renewed", object_id: user_id });
    return null;
  },
  { withoutRoom: true },
);

/** Removes the one-time codes of the caller. Throws `not_found`, `last_administrator`. */
export const takeAwayOneTimeCodes = defineTransaction(
  "access.remove-one-time-codes",
  async (tx, input: Administration): Promise<null> => {
    const { actor } = input;
    const { org_id, user_id } = actor;
    await lockOrganisation(tx, { org_id });
    await keepAdministered(tx, input, () => removeCodesOf(tx, { org_id, user_id }));
    await recordChange(tx, actor, { action: "person.one_time_codes_removed", object_id: user_id });
    return null;
  },
  { withoutRoom: true },
);

/** Removes the one-time codes of a person and their recovery codes. Throws `not_found`. */
export async function removeCodesOf(tx: Tx, owner: PersonRef): Promise<void> {
  await removeRecoveryCodes(tx, owner);
  if (!await removeOneTimeSecret(tx, owner)) throw new Failure("not_found");
}
