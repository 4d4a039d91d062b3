import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Storage } from "../../storage/storage.ts";
import { reportRevokeLimit } from "./revoke-limit.transactions.ts";

/** Runs what ends keys, and tells where the caller's limit is reached. Throws as `work` does. */
export async function withRevokeLimit<T>(
  storage: Storage,
  { actor, at_most }: { actor: Actor; at_most: number | null },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isReached = error instanceof Failure && error.code === "too_many_revoked";
    if (isReached && at_most !== null) await storage.commit(reportRevokeLimit, { actor, at_most });
    throw error;
  }
}
