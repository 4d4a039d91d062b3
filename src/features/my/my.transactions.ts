import type { Actor } from "../../changes/audit.ts";
import { once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { approve, areAutomatic } from "../key-requests/approve.transactions.ts";
import { lockRequest } from "../key-requests/key-requests.store.ts";
import { termsOf } from "../key-requests/stored-request.ts";
import type { NewClaim } from "../keys/claims/claim.ts";
import { markClosed } from "../keys/claims/claims.store.ts";
import { issueClaim } from "../keys/claims/issue-claim.transactions.ts";
import { markState } from "../keys/credential-life.store.ts";
import type { Attempt } from "../keys/credential.ts";
import { holdKey } from "../keys/hold-key.transactions.ts";
import { requireMove } from "../keys/key.ts";
import { type MintCall, mintInstead, type Replacement } from "../keys/mint-key.transactions.ts";
import { recordKey } from "../keys/record-key.transactions.ts";
import { openClaimsOfKey } from "./open-claims.store.ts";

/**
 * Approves a developer's request where its plan needs nobody, and keeps its key for them. Tells
 * whether it did: somebody may have decided it meanwhile, or the plan may need somebody by now.
 */
export const approveAtOnce = defineTransaction(
  "my.approve-at-once",
  async (
    tx,
    input: { actor: Actor; id: string; developer_id: string; attempt: Attempt; claim: NewClaim },
  ): Promise<boolean> => {
    const { actor, id, developer_id, attempt, claim } = input;
    const { org_id } = actor;
    const row = await lockRequest(tx, { org_id, id });
    if (row?.state !== "pending") return false;
    const { by_user, plans, key } = termsOf(row);
    // What changes a key that is there is for people to decide.
    if (by_user !== developer_id || key !== "") return false;
    if (!await areAutomatic(tx, org_id, plans)) return false;
    const call = { actor, id, attempt, mayApprove: false, reason: null };
    const reveal = await approve(tx, { ...call, ifMatch: null, idempotency: null }, "known");
    const key_id = sha256(reveal.RawKey);
    await issueClaim(tx, actor, { claim, reveal, key_id, request_id: id, developer_id });
    return true;
  },
);

/**
 * Hands a developer the key that waits for them. Its own text can't be read without the link, so a
 * fresh key takes the place of the one that nobody has seen, whose links open nothing any more.
 * Throws `not_found`, `claim_gone` where none waits, and what requireMove throws.
 */
export const openWaitingKey = defineTransaction(
  "my.open-key",
  (
    tx,
    input: MintCall & { key_id: string; developer_id: string },
  ): Promise<Replacement> =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, developer_id } = input;
      const { org_id } = actor;
      const at = toTimestamp(actor.now);
      const held = await holdKey(tx, org_id, key_id, developer_id);
      if (!held) throw new Failure("not_found");
      const { credential, developer } = held;
      requireMove("rotate", credential, at);
      const claims = await openClaimsOfKey(tx, { org_id, key_id, now: at });
      const minted = await mintInstead(tx, input, credential, developer, [key_id]);
      let opened = false;
      for (const { id, request_id } of claims) {
        // Opened at this moment: then whoever has the link has the key.
        if (!await markClosed(tx, { org_id, id }, { state: "opened", at })) continue;
        opened = true;
        const detail = { key_request_id: request_id, key_id, replaced_by: minted.key_id };
        await recordChange(tx, actor, { action: "claim.opened", object_id: id, detail });
      }
      if (!opened) throw new Failure("claim_gone");
      const reason = "opened by its holder";
      const change = { state: "revoked" as const, at, reason, replaced_by: minted.key_id };
      if (!await markState(tx, credential, change)) throw new Failure("unavailable");
      const detail = { reason, replaced_by: minted.key_id };
      await recordKey(tx, actor, "credential.revoked", held, detail);
      return { ...minted, replaces: [{ key_id, expires_at: at }], handed: null };
    }),
);
