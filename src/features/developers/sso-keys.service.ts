import type { RequestContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { hasUnhashedOf } from "./sso-keys.store.ts";
import { hashSsoKeys } from "./sso-keys.transactions.ts";

/** Chunks of developers that one call brings in, at most. */
const CHUNKS = 4;

/**
 * Sees to it that the caller's developers can all be found by sso_key: those who were there before
 * look-ups by it wait for a background step. Throws `unavailable` where more of them wait than a
 * call may bring in.
 */
export async function settleSsoKeys(ctx: RequestContext): Promise<void> {
  const { storage, principal: { org_id } } = ctx;
  for (let chunk = 0; await hasUnhashedOf(storage.reader, { org_id }); chunk++) {
    if (chunk === CHUNKS) throw new Failure("unavailable");
    await storage.commit(hashSsoKeys, { from: org_id });
  }
}
