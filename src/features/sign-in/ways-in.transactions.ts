import { parsePermissions } from "../../calls/principal.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { identitiesOf } from "../people/identities.store.ts";
import { isManagedLink } from "../people/identity-link.ts";
import { removeCodesOf } from "../people/one-time-codes.transactions.ts";
import { removePasskey } from "../people/passkeys.store.ts";
import { findPerson } from "../people/people.store.ts";
import {
  type Administration,
  beginAdministration,
  keepAdministered,
  requireNotStronger,
} from "../people/people.transactions.ts";
import { openerOf } from "../people/session.ts";
import { lockSessionsOf, sessionsOf } from "../people/sessions.store.ts";
import { endOne } from "../people/end-session.transactions.ts";
import { removeIdentity } from "../people/identity-providers/identity.store.ts";

/** The credential that an administrator removes from a person. */
interface WayIn extends OfPerson {
  id: string;
}

/** Of whom something is taken away. */
interface OfPerson extends Administration {
  person_id: string;
}

/**
 * Removes a passkey of a person, and ends their sessions that began by a passkey; tells how many.
 * Throws `not_found`, `person_holds_more`, `last_administrator`.
 */
export const takeAwayPasskeyOf = defineTransaction(
  "sign-in.remove-passkey",
  async (tx, input: WayIn): Promise<number> => {
    const { actor, person_id, id } = input;
    const { org_id } = actor;
    await requireWeaker(tx, input);
    await keepAdministered(tx, input, async () => {
      if (!await removePasskey(tx, { org_id, user_id: person_id, id })) {
        throw new Failure("not_found");
      }
    });
    // By which of their passkeys a session began is not kept.
    const ended = await endSessions(
      tx,
      input,
      "a passkey was removed",
      (session) => session.opened_by === "passkey",
    );
    await recordChange(tx, actor, {
      action: "passkey.deleted",
      object_id: id,
      detail: { person_id, sessions_ended: ended },
    });
    return ended;
  },
  { withoutRoom: true },
);

/**
 * Removes the one-time codes of a person, and ends their sessions that began by an access token,
 * which those codes may have let in; tells how many. Throws `not_found`, `person_holds_more`,
 * `last_administrator`.
 */
export const takeAwayCodesOf = defineTransaction(
  "sign-in.remove-one-time-codes",
  async (tx, input: OfPerson): Promise<number> => {
    const { actor, person_id } = input;
    const { org_id } = actor;
    await requireWeaker(tx, input);
    await keepAdministered(tx, input, () => removeCodesOf(tx, { org_id, user_id: person_id }));
    const ended = await endSessions(
      tx,
      input,
      "one-time codes were removed",
      (session) => openerOf(session.opened_by) === "token",
    );
    await recordChange(tx, actor, {
      action: "person.one_time_codes_removed",
      object_id: person_id,
      detail: { sessions_ended: ended },
    });
    return ended;
  },
  { withoutRoom: true },
);

/**
 * Unlinks an account of a person, and ends the sessions that began by it; tells how many. Throws
 * `not_found`, `person_holds_more`, `added_by_provider`.
 */
export const takeAwayAccountOf = defineTransaction(
  "sign-in.unlink-account",
  async (tx, input: WayIn): Promise<number> => {
    const { actor, person_id, id } = input;
    const { org_id } = actor;
    await requireWeaker(tx, input);
    const at = { org_id, user_id: person_id };
    const row = (await identitiesOf(tx, at)).find((one) => one.id === id);
    if (!row) throw new Failure("not_found");
    // Unlinked, it would be another person's at its next sign-in, and these permissions for ever.
    if (isManagedLink(tx.sealer, row)) throw new Failure("added_by_provider");
    await removeIdentity(tx, { ...at, id });
    const ended = await endSessions(
      tx,
      input,
      "its account was unlinked",
      (session) => session.identity_id === id,
    );
    await recordChange(tx, actor, {
      action: "identity.deleted",
      object_id: id,
      detail: { person_id, sessions_ended: ended },
    });
    return ended;
  },
  { withoutRoom: true },
);

/** Throws `not_found`, and `person_holds_more` where the person holds what the caller does not. */
async function requireWeaker(tx: Tx, { actor, person_id }: OfPerson): Promise<void> {
  const permissions = await beginAdministration(tx, actor);
  const person = await findPerson(tx, { org_id: actor.org_id, id: person_id });
  if (!person) throw new Failure("not_found");
  requireNotStronger(permissions, parsePermissions(person.permissions));
}

type Session = Awaited<ReturnType<typeof sessionsOf>>[number];

async function endSessions(
  tx: Tx,
  { actor, person_id }: OfPerson,
  reason: string,
  isOver: (session: Session) => boolean,
): Promise<number> {
  const { org_id } = actor;
  await lockSessionsOf(tx, { org_id, id: person_id });
  let ended = 0;
  for (const session of await sessionsOf(tx, { org_id, user_id: person_id })) {
    if (isOver(session) && await endOne(tx, actor, session.id, { reason })) ended++;
  }
  return ended;
}
