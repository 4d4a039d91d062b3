import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordAlone, recordChange } from "../../changes/record-change.ts";
import { missing, parsePermissions } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { grantedBy, storedScope } from "../people/granted.transactions.ts";
import {
  activePerson,
  type Administration,
  beginAdministration,
  grantDetail,
  type PersonInput,
  requireNoTemporaryAccessRule,
  requireNotStronger,
  requirePermissions,
} from "../people/people.transactions.ts";
import { findPerson, insertUser, markDeactivated } from "../people/people.store.ts";
import { toWords } from "../people/person.ts";
import {
  findInvitationOf,
  insertPersonInvitation,
  removePersonInvitation,
} from "../people/person-invitations.store.ts";
import { INVITATION_MS, invitationPlace } from "../people/person-invitation.ts";
import { findSignInFacts } from "./sign-ins.store.ts";

/** An invitation as it was made. */
export interface MadeInvitation {
  person_id: string;
  mailed_to: string | null;
  /** The text of the link, if it is shown. */
  text: string | null;
  expires_at: string;
}

interface Inviting extends Administration {
  /** The text of the link, made before the transaction. */
  text: string;
  /** Whether mails with links reach anybody. */
  isMailed: boolean;
  idempotency: IdempotentCall | null;
}

/** Adds a person and invites them. Throws `permission_not_held`. */
export const invitePerson = defineTransaction(
  "sign-in.invite",
  async (
    tx,
    input: Inviting & { person: PersonInput & { email: string } },
  ): Promise<MadeInvitation> => {
    const { actor, person } = input;
    const own = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const granted = await grantedBy(tx, actor.org_id, person);
      requirePermissions(own, granted.permissions);
      const { org_id, now } = actor;
      const id = newId(now);
      const { name, email } = person;
      const permissions = toWords(granted.permissions);
      const { role } = granted;
      const covers = await storedScope(tx, actor, person.scope ?? "everything");
      await insertUser(tx, {
        org_id,
        id,
        name,
        permissions,
        date_created: toTimestamp(now),
        email,
        role,
        covers,
      });
      await recordChange(tx, actor, {
        action: "person.created",
        object_id: id,
        detail: { ...grantDetail({ permissions, role, covers }), invited: true },
        personal: { "/name": name, "/email": email },
      });
      return await invite(tx, input, { id, name, email });
    });
  },
);

/**
 * Invites a person who is known, in the place of an invitation that they have. Throws `not_found`,
 * `person_deactivated`, `person_suspended`, `person_holds_more`.
 */
export const inviteAgain = defineTransaction(
  "sign-in.invite-again",
  async (tx, input: Inviting & { id: string }): Promise<MadeInvitation> => {
    const { actor, id } = input;
    const own = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const person = await activePerson(tx, actor.org_id, id);
      if (person.suspended_at !== null) throw new Failure("person_suspended");
      requireNotStronger(own, parsePermissions(person.permissions));
      await requireNoTemporaryAccessRule(tx, own, actor, id);
      await removePersonInvitation(tx, { org_id: actor.org_id, id });
      return await invite(tx, input, person);
    });
  },
);

async function invite(
  tx: Tx,
  { actor, text, isMailed }: Inviting,
  { id, name, email }: { id: string; name: string; email: string | null },
): Promise<MadeInvitation> {
  const { org_id, user_id, now } = actor;
  const mailed_to = isMailed && email ? email : null;
  const expires_at = toTimestamp(now + INVITATION_MS);
  await insertPersonInvitation(tx, {
    org_id,
    id,
    hash: sha256(text),
    link: mailed_to === null ? null : tx.sealer.seal(invitationPlace(org_id, id), text),
    invited_by: user_id,
    created_at: toTimestamp(now),
    expires_at,
  });
  const change = {
    action: "person.invited",
    object_id: id,
    detail: { expires_at, mailed: mailed_to !== null },
    personal: { "/name": name },
  };
  // Without a mail there is no message: the link goes by hand.
  if (mailed_to === null) await recordAlone(tx, actor, change);
  else await recordChange(tx, actor, change);
  return { person_id: id, mailed_to, text: mailed_to === null ? text : null, expires_at };
}

/**
 * Withdraws an invitation, and deactivates anyone who has no other way in, but no one who holds
 * more than the caller. Throws `not_found`. True: they are deactivated.
 */
export const withdrawInvitation = defineTransaction(
  "sign-in.withdraw-invitation",
  async (tx, input: { actor: Actor; id: string }): Promise<boolean> => {
    const { actor, id } = input;
    const { org_id, now } = actor;
    const own = await beginAdministration(tx, actor);
    const at = toTimestamp(now);
    const open = await findInvitationOf(tx, { org_id, id, now: at });
    const person = await findPerson(tx, { org_id, id });
    if (!open || !person || !await removePersonInvitation(tx, { org_id, id })) {
      throw new Failure("not_found");
    }
    await recordAlone(tx, actor, {
      action: "person.invitation_withdrawn",
      object_id: id,
      personal: { "/name": person.name },
    });
    const facts = await findSignInFacts(tx, { org_id, id, now: at });
    const hasWays = !facts || facts.passkeys + facts.identities + facts.tokens > 0 ||
      facts.last_seen_at !== null;
    const isStronger = missing(own, parsePermissions(person.permissions)).length > 0;
    if (hasWays || isStronger || person.deactivated_at !== null) return false;
    // No one who ever got in, so no one by whom the organisation is administered.
    await markDeactivated(tx, { org_id, id, at });
    await recordChange(tx, actor, {
      action: "person.deactivated",
      object_id: id,
      detail: { before: { state: "active" }, after: { state: "deactivated" } },
      personal: { "/name": person.name },
    });
    return true;
  },
  { withoutRoom: true },
);
