import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import { isNetworkWithin } from "../../kernel/network-within.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { setConditions } from "./key-life.store.ts";
import { grantedInSteps } from "./key-life.store.ts";
import { lockSeenKey } from "./lock-key.transactions.ts";
import { conditionsText, readConditions } from "./key-conditions.ts";
import { recordKey } from "./record-key.transactions.ts";

/**
 * Sets from which addresses a key opens that opens from some alone; what else it was granted on
 * stays. `addresses`: some, each in one spelling. Throws `not_found`, `key_revoked`,
 * `key_opens_from_all`, `beyond_granted` for more than several people granted in steps, and
 * `key_damaged` where its conditions can't be read.
 */
export const changeAddresses = defineTransaction(
  "keys.change-addresses",
  async (tx, { actor, key_id, addresses }: {
    actor: Actor;
    key_id: string;
    addresses: string[];
  }): Promise<null> => {
    const locked = await lockSeenKey(tx, actor, key_id);
    if (!locked) throw new Failure("not_found");
    if (locked.credential.state === "revoked") throw new Failure("key_revoked");
    const conditions = readConditions(locked.credential.stored);
    if (conditions === undefined) throw new Failure("key_damaged");
    const before = conditions?.addresses ?? null;
    if (before === null) throw new Failure("key_opens_from_all");
    const granted = await grantedInSteps(tx, actor.org_id, locked.credential.request_id);
    if (granted && !addresses.every((one) => granted.some((all) => isNetworkWithin(one, all)))) {
      throw new Failure("beyond_granted");
    }
    const text = conditionsText({ ...conditions, addresses });
    if (!await setConditions(tx, locked.credential, text)) throw new Failure("unavailable");
    await recordKey(tx, actor, "credential.addresses_changed", locked, { addresses, before });
    return null;
  },
);
