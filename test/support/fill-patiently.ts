/**
 * What fills a store for a test waits longer than a caller would: a cold server on a busy machine
 * is slow.
 */
import { Failure } from "../../src/kernel/failure.ts";
import type { Transaction } from "../../src/storage/storage.ts";
import type { TestDesk } from "./desk.ts";
import { PATIENCE_MS } from "./eventually.ts";

const PAUSE_MS = 100;

/**
 * Commits one part after the other, each again while the store is not available. What came of a
 * part may be unknown then, so the transaction must do nothing where it is done already.
 */
export async function fillPatiently<Input>(
  { app }: TestDesk,
  transaction: Transaction<Input, unknown>,
  parts: Iterable<Input>,
): Promise<void> {
  const began = performance.now();
  for (const part of parts) {
    for (;;) {
      try {
        await app.ctx.storage.commit(transaction, part);
        break;
      } catch (error) {
        const mayPass = error instanceof Failure && error.code === "unavailable";
        if (!mayPass || performance.now() - began > PATIENCE_MS) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }
}
