import { invalidate } from "../../changes/invalidation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { storedHash } from "./key-conditions.ts";
import { insertToken, lockClient, makeRoom, removeToken } from "./oauth.store.ts";

/**
 * Stores a token for a client whose secret was right, in milliseconds of life; gives when it ends,
 * which is not after its client. Beyond the bound the client's oldest go, and nodes that verify
 * from memory hear of it. Throws `oauth_invalid_client` where the client was stopped meanwhile.
 *
 * No audit row and no message: a token is a passing form of a key whose issue and end are
 * recorded, as a session would be. The access log counts them.
 */
export const issueTransaction = defineTransaction(
  "oauth.issue-token",
  async (
    tx,
    input: {
      org_id: string;
      key_id: string;
      client_id: string;
      hash: string;
      now: number;
      lifeMs: number;
    },
  ) => {
    const { org_id, key_id, client_id, hash, now } = input;
    const client = await lockClient(tx, { org_id, key_id });
    const clientEnds = client?.expires_at ? Date.parse(client.expires_at) : Infinity;
    if (client?.state !== "active" || clientEnds <= now) throw new Failure("oauth_invalid_client");
    const ends = Math.min(now + input.lifeMs, clientEnds);
    if (await makeRoom(tx, org_id, key_id) > 0) {
      await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
    }
    await insertToken(tx, {
      org_id,
      hash: storedHash(client.algorithm, hash),
      key_id,
      client_id,
      issued_at: toTimestamp(now),
      expires_at: toTimestamp(ends),
    });
    return { ends };
  },
);

/**
 * Ends a token of this client; nodes that verify from memory hear of it. One that it has not is no
 * error.
 */
export const revokeTransaction = defineTransaction(
  "oauth.revoke-token",
  async (tx, input: { org_id: string; key_id: string; hash: string; now: number }) => {
    const { now, ...place } = input;
    const { org_id, key_id } = place;
    const client = await lockClient(tx, { org_id, key_id });
    const hash = storedHash(client?.algorithm ?? "sha256", place.hash);
    if (!await removeToken(tx, { ...place, hash })) return;
    await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
  },
  { withoutRoom: true },
);
