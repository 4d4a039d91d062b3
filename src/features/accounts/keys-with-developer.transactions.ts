import type { Actor } from "../../changes/audit.ts";
import type { Tx } from "../../storage/storage.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import type { Developer } from "../developers/developer.ts";
import { keyMapsOf, withoutKeys } from "../developers/key-maps.ts";
import type { LockedKeyRow } from "../keys/key-life.store.ts";
import { lockLiveKeys } from "../keys/end-keys.store.ts";
import { endKeys, moveKeys } from "../keys/end-keys.transactions.ts";
import type { Ending } from "../keys/ending.ts";
import { passRevokeLimit } from "../keys/revoke-limit.transactions.ts";

/** The action on the keys of a developer who leaves, or whose account goes to another person. */
export type KeysOfInactive = "keep" | "suspend" | "revoke";

/** The keys of a developer that end or are suspended, held. */
interface TakenKeys {
  ended: readonly LockedKeyRow[];
  suspended: readonly LockedKeyRow[];
}

/**
 * Holds the keys of a developer that are to end or be suspended; with `only`, none but these. Both
 * count for the rate limit: throws `too_many_revoked`.
 */
export async function takeKeys(
  tx: Tx,
  actor: Actor,
  id: string,
  { keys, ending, only }: {
    keys: KeysOfInactive;
    ending: Ending;
    only?: readonly string[] | undefined;
  },
): Promise<TakenKeys> {
  const live = keys === "keep" ? [] : (await lockLiveKeys(tx, actor.org_id, id))
    .filter(({ key_id }) => only?.includes(key_id) ?? true);
  const ended = keys === "revoke" ? live : [];
  const suspended = keys === "suspend" ? live.filter(({ state }) => state === "active") : [];
  await passRevokeLimit(tx, actor, ending.at_most, ended.length + suspended.length);
  return { ended, suspended };
}

/** The developer without the keys that end. */
export function withoutTaken(before: Developer, { ended }: TakenKeys): Developer {
  return withoutKeys(before, ended.map(({ key_id }) => key_id));
}

/**
 * Ends and suspends the keys that were taken; `before`: their developer, whose maps still name
 * them. To be called last, as endKeys.
 */
export async function endTaken(
  tx: Tx,
  actor: Actor,
  before: Developer,
  { ended, suspended }: TakenKeys,
  { reason, ending: { undo_until } }: { reason: string; ending: Ending },
): Promise<void> {
  const names = namesOfDeveloper(before);
  const maps = keyMapsOf(before, ended.map(({ key_id }) => key_id));
  await endKeys(tx, actor, ended, { reason, names, undo_until, deletion: "", maps });
  await moveKeys(tx, actor, suspended, {
    to: "suspended",
    action: "credential.suspended",
    reason,
    names,
  });
}
