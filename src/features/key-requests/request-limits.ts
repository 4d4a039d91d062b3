import { Buffer } from "node:buffer";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import type { KeyRequestDraft } from "./draft-key-request.ts";
import { countWaiting, lockCounts } from "./request-limits.store.ts";

/** How many key requests may wait for a decision; 0: any number. */
export interface PendingLimits {
  readonly developer: number;
  readonly organisation: number;
}

/**
 * So near to a limit requests are added one after the other on PostgreSQL; below it any number of
 * transactions may be under way beside each other, of which no more than this are at once.
 */
const MARGIN = 256;

/**
 * The reason against one more request of a developer; undefined: none. Without `careful` a reason
 * is also given when it only comes near a limit: then it is checked again with it, one after the
 * other, and the answer is exact.
 */
export async function whyNoMore(
  tx: Tx,
  { org_id, by_user }: { org_id: string; by_user: string },
  limits: PendingLimits,
  careful: boolean,
): Promise<Failure | undefined> {
  if (limits.developer === 0 && limits.organisation === 0) return undefined;
  await lockCounts(tx, org_id, by_user, careful);
  const waiting = await countWaiting(tx, org_id, by_user, limits.developer);
  const margin = careful || tx.dialect === "sqlite" ? 0 : MARGIN;
  if (limits.developer > 0 && waiting.developer >= limits.developer - margin) {
    return tooMany(`by_user: ${limits.developer} key requests of this developer wait already`);
  }
  if (limits.organisation > 0 && waiting.organisation >= limits.organisation - margin) {
    return tooMany(`${limits.organisation} key requests wait already in this organisation`);
  }
  return undefined;
}

/** Runs `add` without care, and with it where that comes near a limit. */
export async function withinLimits<T>(add: (careful: boolean) => Promise<T>): Promise<T> {
  try {
    return await add(false);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "too_many_pending") throw error;
    return await add(true);
  }
}

/**
 * Throws `key_request_too_large` where more than `most` bytes (0: any number) would be kept of a
 * request.
 */
export function refuseTooLarge({ columns, secrets }: KeyRequestDraft, most: number): void {
  if (most === 0) return;
  const { head, tail, sent_developer, sent_entry, sent_catalogues } = columns;
  const texts = [head, tail, sent_developer, sent_entry, sent_catalogues, JSON.stringify(secrets)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
  if (bytes <= most) return;
  const message = `${bytes} bytes would be kept of this key request; at most ${most} are.`;
  throw new Failure("key_request_too_large", { message });
}

function tooMany(message: string): Failure {
  return new Failure("too_many_pending", { message, details: [message] });
}
