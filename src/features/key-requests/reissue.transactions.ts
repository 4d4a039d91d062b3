import type { Actor } from "../../changes/audit.ts";
import { once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  findKeysOfRequest,
  type LockedKeyRow,
  lockKey,
  markState,
} from "../keys/key-life.store.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { requireMove } from "../keys/key.ts";
import {
  handOver,
  type MintCall,
  mintInstead,
  type Replacement,
} from "../keys/mint-key.transactions.ts";
import { recordKey } from "../keys/record-key.transactions.ts";
import { requireState } from "./key-request.ts";
import { lockRequest } from "./key-requests.store.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { termsOf } from "./stored-request.ts";
import { requireStillWithin, requireWithin } from "./within-scope.ts";

/**
 * Mints a key for a request whose first answer was lost, with the same developer and plans; the old
 * one is revoked at once. Throws `not_found`, `not_issued`, `access_denied` where one of them has
 * plans outside of the actor's scope, and what requireMove throws for rotate.
 */
export const reissueKey = defineTransaction(
  "keys.reissue",
  (tx, input: MintCall & { request_id: string }): Promise<Replacement> =>
    once(
      tx,
      input.idempotency,
      async () => {
        const { actor, request_id } = input;
        const at = toTimestamp(actor.now);
        const { request, live, current, developer } = await lockKeysOfRequest(
          tx,
          actor,
          request_id,
        );
        const ids = live.map((key) => key.key_id);
        const minted = await mintInstead(tx, input, current, developer, ids);
        for (const key of live) {
          const change = { state: "revoked", at, reason: "re-issued", replaced_by: minted.key_id };
          if (!await markState(tx, key, { ...change, state: "revoked" })) {
            throw new Failure("unavailable");
          }
          const detail = { reason: change.reason, replaced_by: minted.key_id };
          await recordKey(tx, actor, "credential.revoked", { credential: key, developer }, detail);
        }
        await recordChange(tx, actor, {
          action: "key_request.reissued",
          object_id: request_id,
          detail: { key_id: minted.key_id },
          names: await namesOfRequest(tx, actor.org_id, request),
        });
        const replaces = ids.map((key_id) => ({ key_id, expires_at: at }));
        return await handOver(tx, input, { ...minted, replaces }, current);
      },
      ({ key_id }) => requireStillWithin(tx, { actor: input.actor, id: input.request_id }, key_id),
    ),
);

/** The unrevoked credentials of a request, held, and the one of them that is to be replaced. */
async function lockKeysOfRequest(tx: Tx, actor: Actor, request_id: string) {
  const { org_id } = actor;
  const request = await lockRequest(tx, { org_id, id: request_id });
  if (!request) throw new Failure("not_found");
  const coverage = await requireWithin(tx, actor, request);
  requireState("reissue", request.state);
  const { by_user } = termsOf(request);
  const developer = await lockDeveloper(tx, org_id, by_user);
  const ids = await findKeysOfRequest(tx, { org_id, developer_id: by_user, request_id });
  const locked: LockedKeyRow[] = [];
  for (const key_id of ids.toSorted()) {
    const key = await lockKey(tx, org_id, key_id);
    if (key) locked.push(key);
  }
  // Approved for a key that existed already.
  if (locked.length === 0) throw new Failure("not_issued");
  const live = locked.filter((key) => key.state !== "revoked");
  // It has plans by now that are others' to decide.
  if (coverage && live.some(({ plans }) => !coverage.holds(plans))) {
    throw new Failure("access_denied");
  }
  if (live.length === 0) throw new Failure("key_revoked");
  const suspended = live.find((key) => key.state === "suspended");
  const current = suspended ?? live.find((key) => key.replaced_by === null);
  if (!current) throw new Failure("key_rotated");
  requireMove("rotate", current, toTimestamp(actor.now));
  return { request, live, current, developer };
}
