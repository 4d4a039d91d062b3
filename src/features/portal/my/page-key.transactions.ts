import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import type { Attempt, KeyKind } from "../../keys/key-kinds.ts";
import { markState } from "../../keys/key-life.store.ts";
import { requireMove } from "../../keys/key.ts";
import { lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { mintInstead } from "../../keys/mint-key.transactions.ts";
import { recordKey } from "../../keys/record-key.transactions.ts";
import type { Actor } from "../../../changes/audit.ts";
import { newestLiveKeys } from "./own-standing.store.ts";
import { isPageKey, PAGE_KEY_MS } from "../../keys/page-key.ts";

/** A key for a page, once; see Reveal. */
interface MadePageKey {
  kind: KeyKind;
  key_id: string;
  RawKey: string;
  Password: string;
  expires_at: string;
}

/**
 * Makes a key for a page out of a key of the developer's: for one plan of it, under its conditions,
 * in its count of quotas, for an hour, and never longer than that key lives. Former keys of this
 * name are revoked. Throws `not_found` and the errors of requireMove.
 */
export const makePageKey = defineTransaction(
  "my.make-page-key",
  async (
    tx,
    input: {
      actor: Actor;
      attempt: Attempt;
      developer_id: string;
      /** The key that it is made out of. */
      key_id: string;
      plan: string;
      name: string;
    },
  ): Promise<MadePageKey> => {
    const { actor, attempt, developer_id, key_id, plan, name } = input;
    const { org_id, now } = actor;
    const at = toTimestamp(now);
    const locked = await lockKeyWithOwner(tx, org_id, key_id, developer_id);
    if (!locked || isPageKey({ ...locked.credential, ...locked.credential.stored })) {
      throw new Failure("not_found");
    }
    const { credential, developer } = locked;
    requireMove("rotate", credential, at);
    const former = (await newestLiveKeys(tx, { org_id, developer_id }))
      .filter((key) => isPageKey(key) && key.name === name).map((key) => key.key_id).toSorted();
    const hour = toTimestamp(now + PAGE_KEY_MS);
    const end = credential.expires_at !== null && credential.expires_at < hour
      ? credential.expires_at
      : hour;
    // It is no key of the request that led to that one.
    const own = { plans: [plan], name, request_id: "" };
    const model = { ...credential, ...own, expires_at: end, end_chosen_at: at };
    const call = { actor, attempt, oneTimeLink: null, idempotency: null };
    const { RawKey, Password, key_id: made } = await mintInstead(
      tx,
      call,
      model,
      developer,
      former,
    );
    for (const one of former) {
      const old = await lockKeyWithOwner(tx, org_id, one, developer_id);
      if (!old) continue;
      const change = { state: "revoked" as const, at, reason: "another key for the page" };
      if (!await markState(tx, old.credential, change)) continue;
      await recordKey(tx, actor, "credential.revoked", old, {
        reason: change.reason,
        replaced_by: made,
      });
    }
    return { kind: credential.kind, key_id: made, RawKey, Password, expires_at: end };
  },
);
