import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { lockGateway } from "../gateways/gateways.store.ts";
import { lockProvisioned, setProvisioned } from "../gateways/provisioned-keys.store.ts";
import { undoUntil } from "../keys/ending.ts";
import { holdKey } from "../keys/hold-key.transactions.ts";
import { changeEnd, changeLockedKey } from "../keys/key-life.transactions.ts";
import { isOn } from "./learning.ts";
import { lockLearned, lockLearning, noteAsked } from "./learning.store.ts";

/** What a gateway said of a key that was learned from it. */
export interface AskedAnew {
  org_id: string;
  gateway_id: string;
  key_id: string;
  /** What was wanted there when it was asked; null: nothing ever was. */
  seen: number | null;
  found: Found;
  /** When the question was sent. */
  asked: number;
  now: number;
}

/** `over`: it ended there at this time, in milliseconds since 1970. */
export type Found =
  | { is: "open" }
  | { is: "gone" }
  | { is: "suspended" }
  | { is: "over"; at: number };

/**
 * Notes that a gateway was asked about a key, and does here what was done there: a key that is gone
 * there is revoked, so that it can be brought back for 7 days; one that was suspended is suspended;
 * one that ended ends when it did. What this desk is about to bring there goes before what is still
 * seen there. Nothing opens by it that did not before. Gives whether something was changed.
 */
export const settleAsked = defineTransaction(
  "learning.settle-asked",
  async (tx, input: AskedAnew): Promise<boolean> => {
    const { org_id, gateway_id, key_id, found, now } = input;
    if (!isOn(await lockLearning(tx, { org_id, gateway_id }), toTimestamp(now))) return false;
    const held = await holdKey(tx, org_id, key_id);
    const learned = await lockLearned(tx, { org_id, key_id });
    if (!held || learned?.gateway_id !== gateway_id) return false;
    const brought = await lockProvisioned(tx, { org_id, gateway_id, key_id });
    const isUnderWay = brought !== undefined &&
      (brought.state === "waiting" || Number(brought.wanted) !== input.seen);
    if (isUnderWay && found.is !== "open") return false;
    await noteAsked(tx, { org_id, key_id, asked_at: toTimestamp(input.asked) });
    const { state, expires_at } = held.credential;
    if (found.is === "open" || state === "revoked") return false;
    const actor = { org_id, user_id: "learning", token_id: "", now };
    const gateway = await lockGateway(tx, { org_id, id: gateway_id });
    const at = `at the gateway ${gateway?.name ?? gateway_id}`;
    switch (found.is) {
      case "gone": {
        const ending = { undo_until: undoUntil(now), at_most: null };
        await changeLockedKey(tx, actor, held, "revoke", `It was ended ${at}.`, ending);
        return true;
      }
      case "suspended":
        // Where what is wanted could not be brought there, it says nothing of that.
        if (state !== "active" || brought?.state === "stuck") return false;
        await changeLockedKey(tx, actor, held, "suspend", `It was suspended ${at}.`);
        return true;
      case "over": {
        const end = toTimestamp(found.at);
        if (expires_at !== null && expires_at <= end) return false;
        await changeEnd(tx, actor, held, end);
        if (brought) await noteEndThere(tx, input, found.at);
        return true;
      }
    }
  },
);

/** The gateway has that end: brought there anew it would count as none, since it is over. */
async function noteEndThere(
  tx: Tx,
  { org_id, gateway_id, key_id, now }: AskedAnew,
  end: number,
): Promise<void> {
  const row = await lockProvisioned(tx, { org_id, gateway_id, key_id });
  if (!row) return;
  const held = row.held === "" ? {} : JSON.parse(row.held) as object;
  await setProvisioned(tx, {
    ...row,
    done: row.wanted,
    state: "delivered",
    reason: "",
    since: toTimestamp(now),
    due_at: null,
    held: JSON.stringify({ ...held, expires: Math.floor(end / 1000) }),
  });
}
