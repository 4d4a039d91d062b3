import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import type { Actor } from "../../changes/audit.ts";
import { withdrawOneTimeLinksOf } from "../keys/one-time-links/withdraw-one-time-links.transactions.ts";
import { lockLiveKeys, SUSPENDED_WITH_DEVELOPER } from "../keys/end-keys.store.ts";
import { moveKeys } from "../keys/end-keys.transactions.ts";
import type { Ending } from "../keys/ending.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import { endAccessOf } from "../developers/end-session.transactions.ts";
import { updateDeveloper } from "../developers/developers.store.ts";
import type { Developer } from "../developers/developer.ts";
import {
  endTaken,
  type KeysOfInactive,
  takeKeys,
  withoutTaken,
} from "./keys-with-developer.transactions.ts";
import { type Change, lockAsRead } from "./v1.transactions.ts";

/** The action on keys that were suspended with a developer who is active again. */
export type KeysOfActive = "keep" | "resume";

/** Why one-time links are withdrawn, and keys suspended and revoked, with their developer. */
export const DEACTIVATED = SUSPENDED_WITH_DEVELOPER;
const REACTIVATED = "developer reactivated";

/**
 * Makes a developer inactive, ends their sessions and tokens for good, withdraws the open one-time
 * links of their keys, and keeps, suspends or revokes the keys; what is suspended counts for the
 * rate limit like what is revoked. A developer who is inactive already stays so, and their keys
 * follow. Throws `not_found`, `precondition_failed`, `too_many_revoked`.
 */
export const deactivateAccount = defineTransaction(
  "developer-accounts.deactivate",
  (
    tx,
    input: Change & {
      keys: KeysOfInactive;
      ending: Ending;
      idempotency: IdempotentCall | null;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      await deactivateLocked(tx, input.actor, await lockAsRead(tx, input), input);
      return null;
    }),
  { withoutRoom: true },
);

/**
 * Deactivates a developer whom this transaction has locked; with `only`, of their keys none but
 * these. Gives the suspended keys. Throws `too_many_revoked`.
 */
export async function deactivateLocked(
  tx: Tx,
  actor: Actor,
  before: Developer,
  { keys, ending, only }: { keys: KeysOfInactive; ending: Ending; only?: readonly string[] },
): Promise<string[]> {
  const { org_id } = actor;
  const { id } = before;
  const taken = await takeKeys(tx, actor, id, { keys, ending, only });
  await updateDeveloper(tx, org_id, { ...withoutTaken(before, taken), inactive: true });
  const claims = await withdrawOneTimeLinksOf(tx, actor, id, DEACTIVATED);
  const access = await endAccessOf(tx, actor, id, DEACTIVATED);
  const names = namesOfDeveloper(before);
  if (!before.inactive) {
    const detail = { keys, claims, ...access };
    const action = "developer.deactivated";
    await recordChange(tx, actor, { action, object_id: id, detail, names });
  }
  await endTaken(tx, actor, before, taken, { reason: DEACTIVATED, ending });
  return taken.suspended.map(({ key_id }) => key_id);
}

/**
 * Makes a developer active, and resumes the keys that were suspended with them where that is said.
 * Throws `not_found`, `precondition_failed`.
 */
export const reactivateAccount = defineTransaction(
  "developer-accounts.reactivate",
  (tx, input: Change & { keys: KeysOfActive; idempotency: IdempotentCall | null }) =>
    once(tx, input.idempotency, async () => {
      await reactivateLocked(tx, input.actor, await lockAsRead(tx, input), input);
      return null;
    }),
);

/**
 * Reactivates a developer whom this transaction has locked; with `only`, of their keys none but
 * these. Gives the resumed keys.
 */
export async function reactivateLocked(
  tx: Tx,
  actor: Actor,
  before: Developer,
  { keys, only }: { keys: KeysOfActive; only?: readonly string[] },
): Promise<string[]> {
  const { org_id } = actor;
  const { id } = before;
  const resumed = keys === "keep" ? [] : (await lockLiveKeys(tx, org_id, id)).filter(
    ({ key_id, state, stored }) =>
      state === "suspended" && stored.state_reason === DEACTIVATED &&
      (only?.includes(key_id) ?? true),
  );
  const names = namesOfDeveloper(before);
  if (before.inactive) {
    await updateDeveloper(tx, org_id, { ...before, inactive: false });
    // Older code left them, and they would open again.
    await endAccessOf(tx, actor, id, DEACTIVATED);
    const detail = { keys };
    const action = "developer.reactivated";
    await recordChange(tx, actor, { action, object_id: id, detail, names });
  }
  await moveKeys(tx, actor, resumed, {
    to: "active",
    action: "credential.resumed",
    reason: REACTIVATED,
    names,
  });
  return resumed.map(({ key_id }) => key_id);
}
