import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { broughtIn } from "../../gateways/closing.ts";
import { findGateway } from "../../gateways/gateways.store.ts";
import { lockProvisioned, setProvisioned } from "../../gateways/provisioned-keys.store.ts";
import { undoUntil } from "../../keys/ending.ts";
import { endingPlans } from "../../keys/granted-end.transactions.ts";
import { lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { changeEnd, changeLockedKey } from "../../keys/key-life.transactions.ts";
import { followOpen } from "./follow-open.transactions.ts";
import { type Asked, type AskedAnew, keepSeen, seenNow } from "./followed-key.ts";
import { isOn } from "./lazy-migration.ts";
import { lockLazyMigration, lockMigrated, noteAsked } from "./lazy-migration.store.ts";
import { readSeen, type SaidThere } from "./gateway-answers.ts";
import { mayLose } from "./may-lose.transactions.ts";

/**
 * Notes what a gateway says of a key that was learned from it, and does here what was done there,
 * until every plan of the key is switched to be decided here. A key that is gone there is revoked,
 * so that it can be brought back for 7 days; one that was suspended is suspended; one that ended
 * ends when it did; plans, end and what is used of quotas come over. A change that Keydesk is about
 * to sync there goes before the state that is still seen there, and keys that were suspended or
 * revoked in Keydesk stay so. If many keys would lose access, they wait for a person's
 * confirmation. Gives whether something was changed.
 */
export const settleAsked = defineTransaction(
  "learning.settle-asked",
  async (tx, input: AskedAnew): Promise<boolean> => {
    const { org_id, gateway_id, key_id, said, now } = input;
    const lazyMigration = await lockLazyMigration(tx, { org_id, gateway_id });
    if (!lazyMigration || !isOn(lazyMigration, toTimestamp(now))) return false;
    const locked = await lockKeyWithOwner(tx, org_id, key_id);
    const migrated = await lockMigrated(tx, { org_id, key_id });
    if (!locked || migrated?.gateway_id !== gateway_id || migrated.seen !== input.before) {
      return false;
    }
    const brought = await lockProvisioned(tx, { org_id, gateway_id, key_id });
    const isUnderWay = brought !== undefined &&
      (brought.state === "waiting" || Number(brought.wanted) !== input.seen);
    if (isUnderWay && said.is !== "open") return false;
    await noteAsked(tx, { org_id, key_id, asked_at: toTimestamp(input.asked) });
    const { state, plans } = locked.credential;
    if (isUnderWay || state === "revoked") return false;
    const rules = (await endingPlans(tx, org_id, plans)).map(({ rules }) => rules);
    const known = rules.filter((one) => one !== undefined);
    if (known.length > 0 && known.every(({ decidedHere }) => decidedHere)) return false;
    // Not held: anyone who switches learning on holds it first.
    const gateway = await findGateway(tx, { org_id, id: gateway_id });
    const actor = { org_id, user_id: "learning", token_id: "", now };
    const at = `at the gateway ${gateway?.name ?? gateway_id}`;
    const asked = {
      ...input,
      actor,
      at,
      locked,
      migrated,
      lazyMigration,
      brought,
      rules,
    };
    return said.is === "open" ? await followOpen(tx, asked, said) : await followClosed(tx, asked);
  },
);

/** Closes here what is closed there. */
async function followClosed(tx: Tx, asked: Asked): Promise<boolean> {
  const { actor, at, locked, migrated, brought, said, now } = asked;
  const { state, expires_at } = locked.credential;
  const since = toTimestamp(now);
  switch (said.is) {
    case "open":
      return false;
    case "gone": {
      if (!await mayLose(tx, asked)) return false;
      const ending = { undo_until: undoUntil(now), at_most: null };
      await changeLockedKey(tx, actor, locked, "revoke", `It was ended ${at}.`, ending);
      await keepSeen(tx, migrated, { awaits_since: null });
      return true;
    }
    case "suspended": {
      // If the desired state could not be synced there, the answer does not reflect it.
      if (state !== "active" || brought?.state === "stuck") return await isSoHere(tx, asked, said);
      if (!await mayLose(tx, asked)) return false;
      await changeLockedKey(tx, actor, locked, "suspend", `It was suspended ${at}.`);
      const seen = { ...seenNow(asked, said), suspended_at: since };
      await keepSeen(tx, migrated, { seen, awaits_since: null });
      return true;
    }
    case "over": {
      const end = toTimestamp(said.expires * 1000);
      if (expires_at !== null && expires_at <= end) return await isSoHere(tx, asked, said);
      const isOpen = state === "active";
      if (isOpen && !await mayLose(tx, asked)) return false;
      await changeEnd(tx, actor, locked, end);
      if (brought) await noteEndThere(tx, asked, said.expires);
      await keepSeen(tx, migrated, { seen: seenNow(asked, said), awaits_since: null });
      return true;
    }
  }
}

/** Keeps what it says of a key that is closed here as well: nothing is lost by it. */
async function isSoHere(
  tx: Tx,
  asked: Asked,
  said: Exclude<SaidThere, { is: "gone" }>,
): Promise<false> {
  const { suspended_at } = readSeen(asked.migrated.seen) ?? {};
  const kept = suspended_at === undefined ? {} : { suspended_at };
  const seen = { ...seenNow(asked, said), ...kept };
  await keepSeen(tx, asked.migrated, { seen, awaits_since: null });
  return false;
}

/** The gateway has that end: brought there anew it would count as none, since it is over. */
async function noteEndThere(
  tx: Tx,
  { org_id, gateway_id, key_id, now }: AskedAnew,
  expires: number,
): Promise<void> {
  const row = await lockProvisioned(tx, { org_id, gateway_id, key_id });
  if (!row) return;
  const brought = broughtIn(row.held);
  const kept = brought === "" ? {} : JSON.parse(brought) as object;
  await setProvisioned(tx, {
    ...row,
    done: row.wanted,
    state: "delivered",
    reason: "",
    since: toTimestamp(now),
    due_at: null,
    held: JSON.stringify({ ...kept, expires }),
  });
}
