import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { lockKey, markState } from "../keys/key-life.store.ts";
import { findLiveKeys } from "../keys/end-keys.store.ts";
import { openKept } from "../keys/ended-key.ts";
import { findEndedKeysOf, removeEndedKey, tieEndedKeys } from "../keys/ended-keys.store.ts";
import { calledKey } from "../keys/key-labels.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { type Developer, foldedEmail, ssoKeyHash } from "../developers/developer.ts";
import { developerExists, insertDeveloper, isSsoKeyTaken } from "../developers/developers.store.ts";
import { putEmailProof } from "../developers/email-proof.store.ts";
import { listTags } from "../developers/developer-tags.store.ts";
import { withoutKeys } from "../developers/key-maps.ts";
import { findEmailOwner } from "../developers/folded-emails.store.ts";
import { beforeDeletion, openDeleted, withLiveKeys } from "./deleted-developer.ts";
import { findDeletions, removeDeletion, setKeptColumns } from "./deleted-developers.store.ts";

/**
 * Brings back a developer who was deleted: as they were, with their password, maps and the keys
 * that were shut with them; keys that lived on stand in the maps as they are now. Undecided
 * requests and counts are gone. `deletion`: which one; null: the only one. Throws `not_found`,
 * `several_deletions`, and `developer_taken` where another developer has the id, the address or the
 * sso_key by now. Gives how many keys came back.
 */
export const restoreAccount = defineTransaction(
  "developer-accounts.restore",
  (
    tx,
    input: {
      actor: Actor;
      id: string;
      deletion: string | null;
      idempotency: IdempotentCall | null;
    },
  ): Promise<number> =>
    once(tx, input.idempotency, async () => {
      const { actor, id } = input;
      const { org_id } = actor;
      const at = toTimestamp(actor.now);
      const { row, kept } = await deletionOf(tx, org_id, input, at);
      // Of two at once the second waits here, and then finds none.
      if (!await removeDeletion(tx, { org_id, id: row.id })) throw new Failure("not_found");
      const whole = kept.keys === "keep"
        ? withLiveKeys(kept, await findLiveKeys(tx, org_id, id))
        : kept.developer;
      const ended = (await findEndedKeysOf(tx, { org_id, developer_id: id })).filter((
        { deletion },
      ) => deletion === row.id);
      // Purged at this moment: then its time is over, and no one comes back without their keys.
      if (ended.length !== row.keys) throw new Failure("not_found");
      const opened = ended.map((one) => ({ ...one, was: openKept(tx.sealer, org_id, one, at) }));
      // A secret that was lost with a sealing key stays revoked.
      const lost = opened.filter(({ was }) => !was).map(({ key_id }) => key_id);
      const developer = lost.length === 0 ? whole : withoutKeys(whole, lost);
      if (!await insertDeveloper(tx, org_id, developer)) {
        throw await whyTaken(tx, org_id, developer);
      }
      await setKeptColumns(tx, org_id, id, kept.columns);
      await listTags(tx, { org_id, id });
      // An address that no one has confirmed is no better for having been deleted.
      if (kept.proof) await putEmailProof(tx, kept.proof);
      const names = namesOfDeveloper(developer);
      const back: string[] = [];
      for (const { key_id, was } of opened) {
        const key = await lockKey(tx, org_id, key_id);
        if (!was || key?.state !== "revoked") continue;
        if (!await removeEndedKey(tx, { org_id, key_id })) throw new Failure("unavailable");
        const change = { state: was.state, at, reason: was.reason ?? REASON };
        await markState(tx, key, change);
        await recordChange(tx, actor, {
          action: "credential.restored",
          object_id: key_id,
          detail: { reason: REASON, developer_id: id, state: was.state },
          names: { object: calledKey(key), ...names },
        });
        back.push(key_id);
      }
      await tieEndedKeys(tx, { org_id, developer_id: id, from: beforeDeletion(row.id), to: "" });
      const detail = { deletion: row.id, keys: back.length };
      await recordChange(tx, actor, { action: "developer.restored", object_id: id, detail, names });
      for (const object_id of back) {
        await invalidate(tx, { org_id, kind: "key", object_id, now: actor.now });
      }
      return back.length;
    }),
);

const REASON = "developer restored";

async function deletionOf(
  tx: Tx,
  org_id: string,
  { id, deletion }: { id: string; deletion: string | null },
  at: string,
) {
  const found = (await findDeletions(tx, org_id, id)).flatMap((row) => {
    const kept = openDeleted(tx.sealer, org_id, row, at);
    return kept && (deletion === null || deletion === row.id) ? [{ row, kept }] : [];
  });
  const [only, ...others] = found;
  if (!only) throw new Failure("not_found");
  if (others.length > 0) {
    const details = found.map(({ row }) => `deletion: ${row.id} of ${row.deleted_at}`);
    throw new Failure("several_deletions", { details });
  }
  return only;
}

/** Which of the developer's names another has by now. */
async function whyTaken(
  tx: Tx,
  org_id: string,
  { id, email, sso_key }: Developer,
): Promise<Failure> {
  const folded = foldedEmail(email);
  const holder = folded === "" ? undefined : await findEmailOwner(tx, { org_id, folded });
  const taken = await developerExists(tx, { org_id, id })
    ? "id"
    : holder === undefined && await isSsoKeyTaken(tx, org_id, ssoKeyHash(sso_key))
    ? "sso_key"
    : "email";
  return new Failure("developer_taken", { details: [`${taken}: belongs to another developer`] });
}
