import type { StoreSession } from "../../storage/engines/store-session.ts";
import { inOne } from "../../storage/migrate-session.ts";
import { isOurs } from "./moving.store.ts";

/** Thrown when a move can't begin or go on as asked; the message says why and what to do. */
export class MoveRefused extends Error {}

/** Why, where two moves want the same target. */
export const TAKEN = "another `keydesk move-store` has taken the target";

/**
 * Runs `work` in one transaction of the target, which is this run's until that ends. Throws
 * MoveRefused where another run has it.
 */
export async function inMove<T>(
  { target, run }: { readonly target: StoreSession; readonly run: string },
  work: () => Promise<T>,
): Promise<T> {
  return await inOne(target, async () => {
    if (!await isOurs(target, run)) throw new MoveRefused(TAKEN);
    return await work();
  });
}
