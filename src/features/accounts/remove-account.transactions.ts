import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { forgetOneTimeLinkEmails } from "../keys/one-time-links/one-time-links.store.ts";
import { findLiveKeys, lockLiveKeys } from "../keys/end-keys.store.ts";
import { endKeys, type KeysChoice } from "../keys/end-keys.transactions.ts";
import { tieEndedKeys } from "../keys/ended-keys.store.ts";
import { passRevokeLimit } from "../keys/revoke-limit.transactions.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { removeDeveloper } from "../developers/developer-accounts.store.ts";
import { endSignInsOf } from "../developers/developer-sign-ins.store.ts";
import { emailKey } from "../developers/developer.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { findEmailProof, forgetEmailProof } from "../developers/email-proof.store.ts";
import { requireLockedRevision } from "../developers/locked-revision.transactions.ts";
import { forgetChoices } from "../developers/developer-choices.store.ts";
import { removeInvitation } from "../developers/developer-invitations.store.ts";
import { forgetVerifiedEmail } from "../developers/verified-emails.store.ts";
import { lockPendingOf, removePendingOf } from "../key-requests/pending-requests.store.ts";
import { forgetUsageOf } from "../verification/usage/usage.store.ts";
import { beforeDeletion, sealDeveloper } from "./deleted-developer.ts";
import { findKeptColumns, insertDeleted } from "./deleted-developers.store.ts";

/** The input of deleting a developer. */
export interface Removal {
  actor: Actor;
  id: string;
  keys: KeysChoice;
  ifMatch: string[] | null;
  /** The id of the deletion, made before. */
  deletion: string;
  /** Until when the developer can be brought back, and the keys with them. */
  undo_until: string;
  /** How many keys the caller may end within an hour; null: any number. */
  at_most: number | null;
  /** False: live keys may only be kept. */
  mayEnd: boolean;
}

/**
 * Deletes a developer with their undecided requests and what is counted of their keys, and shuts or
 * keeps these. Requests that were decided stay, and show the developer that was sent with them.
 * Developer and keys can be brought back for a while, see restoreAccount. Throws
 * `not_found_for_deletion`, `precondition_failed`, `access_denied`, `too_many_revoked`. Tells how
 * many keys were shut and requests deleted.
 */
export const removeAccount = defineTransaction(
  "developer-accounts.remove",
  async (tx, input: Removal): Promise<{ revoked: number; requests: number }> => {
    const { actor, id, keys, deletion, undo_until } = input;
    const { org_id } = actor;
    // Locks in the order of approve: requests, developer, credentials, counters, what verification
    // looks at.
    await lockPendingOf(tx, { org_id, by_user: id });
    const before = await lockDeveloper(tx, org_id, id);
    if (!before) throw new Failure("not_found_for_deletion");
    await requireLockedRevision(tx, org_id, before, input.ifMatch);
    const ended = keys === "keep" ? [] : await lockLiveKeys(tx, org_id, id);
    if (ended.length > 0 && !input.mayEnd) throw new Failure("access_denied");
    await passRevokeLimit(tx, actor, input.at_most, ended.length);
    const live = keys === "keep" ? await findLiveKeys(tx, org_id, id) : [];
    const kept = sealDeveloper(tx.sealer, org_id, deletion, {
      developer: before,
      columns: await findKeptColumns(tx, org_id, id),
      keys,
      live: live.map(({ key_id }) => key_id),
      until: undo_until,
      proof: await findEmailProof(tx, { org_id, id }) ?? null,
    });
    await insertDeleted(tx, {
      org_id,
      id: deletion,
      developer_id: id,
      deleted_at: toTimestamp(actor.now),
      deleted_by: actor.user_id,
      keys: ended.length,
      kept,
      expires_at: undo_until,
    });
    await tieEndedKeys(tx, { org_id, developer_id: id, from: "", to: beforeDeletion(deletion) });
    const names = namesOfDeveloper(before);
    await removeDeveloper(tx, org_id, id);
    await forgetEmailProof(tx, org_id, id);
    await forgetVerifiedEmail(tx, { org_id, id });
    await forgetChoices(tx, { org_id, id });
    await removeInvitation(tx, { org_id, email_key: emailKey(before.email) });
    await endSignInsOf(tx, { org_id, developer_id: id });
    await forgetOneTimeLinkEmails(tx, { org_id, developer_id: id });
    const requests = await removePendingOf(tx, org_id, id);
    for (const request of requests) {
      await recordChange(tx, actor, {
        action: "key_request.deleted",
        object_id: request,
        detail: { by_user: id, reason: REASON },
        names,
      });
    }
    await forgetUsageOf(tx, org_id, id);
    const revoked = ended.length;
    const detail = { keys, revoked, requests: requests.length, deletion, undo_until };
    await recordChange(tx, actor, { action: "developer.deleted", object_id: id, detail, names });
    await endKeys(tx, actor, ended, { reason: REASON, undo_until, deletion, names });
    return { revoked, requests: requests.length };
  },
);

const REASON = "developer deleted";
