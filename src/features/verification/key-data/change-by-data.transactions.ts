import type { Actor } from "../../../changes/audit.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { type LockedKey, lockSeenKey } from "../../keys/lock-key.transactions.ts";
import { endToCome, stateOf } from "../../keys/key.ts";
import type { SomeKeyLabels } from "../../keys/key-labels.ts";
import { changeEnd, changeLockedKey, replacePlans } from "../../keys/key-life.transactions.ts";
import { relabel } from "../../keys/label-key.transactions.ts";
import { type KeyNames, lockNamed } from "../../keys/revoke-named.transactions.ts";

/** The change of a key; absent members stay. */
interface KeyChange {
  plans?: string[];
  labels: SomeKeyLabels;
  /** Null: never. */
  expires_at?: string | null;
  /** Whether it opens nothing. */
  is_inactive?: boolean | undefined;
}

/**
 * Changes the key that one of these names has to all of this, or nothing of it; what reads as it is
 * changes nothing. Gives its key id. Throws `key_not_found`, for a revoked key too, `invalid_input`
 * for another owner and an end that is over, `key_rotated`, and what replacePlans throws.
 */
export const changeByData = defineTransaction(
  "key-data.change",
  async (
    tx,
    input: KeyChange & { actor: Actor; names: KeyNames; owner: string | null },
  ): Promise<string> => {
    const { actor, names, owner, plans, expires_at, is_inactive } = input;
    const now = toTimestamp(actor.now);
    const named = await lockNamed(tx, actor, names);
    if (!named) throw new Failure("key_not_found");
    const { credential: key, developer } = named;
    const { key_id } = key;
    if (owner !== null && owner !== key.developer_id) {
      throw refused("meta_data.tyk_developer_id: the key is another developer's, and stays so");
    }
    // Each step changes the row that the next one goes by.
    const locked = () => lockedAgain(tx, actor, key_id);
    if (plans && !isSame(plans, key.plans)) {
      await replacePlans(tx, actor, await locked(), plans, "known");
    }
    if (expires_at !== undefined && secondsOf(expires_at) !== secondsOf(key.expires_at)) {
      await changeEnd(tx, actor, await locked(), endToCome(expires_at, actor.now) ?? null);
    }
    await relabel(tx, actor, { key_id, developer }, input.labels);
    const state = stateOf(key, now);
    const change = is_inactive === true && state === "active"
      ? "suspend"
      : is_inactive === false && key.state === "suspended"
      ? "resume"
      : undefined;
    if (change) await changeLockedKey(tx, actor, await locked(), change, "by its data");
    return key_id;
  },
);

async function lockedAgain(tx: Tx, actor: Actor, key_id: string): Promise<LockedKey> {
  const locked = await lockSeenKey(tx, actor, key_id);
  if (!locked) throw new Failure("unavailable");
  return locked;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}

/** An end as it is shown: to the second. */
function secondsOf(at: string | null): number {
  return at === null ? 0 : Math.floor(Date.parse(at) / 1000);
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
