import { type Actor, noteInAuditLog } from "../../changes/audit.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { noteTokenUse, type TokenUseRow } from "./access-tokens.store.ts";

/**
 * Keeps when access tokens were last used; a later use that is there already stays. No audit row:
 * no one decided anything.
 */
export const noteTokenUses = defineTransaction(
  "access.note-token-uses",
  async (tx, input: { uses: TokenUseRow[] }) => {
    for (const use of input.uses) await noteTokenUse(tx, use);
  },
);

/** Keeps that an access token was presented from an address where it opens nothing. */
export const noteRefusedAddress = defineTransaction(
  "access.note-refused-address",
  async (tx, { actor }: { actor: Actor }) => {
    await noteInAuditLog(tx, actor, {
      action: "access_token.refused",
      object: "access_token",
      object_id: actor.token_id,
      detail: { reason: "address", person_id: actor.user_id },
    });
  },
);
