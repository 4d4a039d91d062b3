import type { WriterChoice } from "../../src/storage/open-storage.ts";
import { WriterThread } from "../../src/storage/engines/sqlite-threaded-writer.ts";
import { transactions } from "../../src/transactions.ts";
import { openTestDesk, type TestDesk, type TestDeskOptions } from "./desk.ts";
import { limitPages } from "./limit-pages.ts";

const writers: Readonly<Record<string, () => WriterChoice>> = {
  "a thread of its own": () => ({
    thread: true,
    start: () => new WriterThread(new URL("./limited-writer-thread.ts", import.meta.url)),
    onCrash: (error) => {
      throw error;
    },
  }),
  "the calling thread": () => ({ thread: false, transactions: [...transactions, limitPages] }),
};

/**
 * Registers one test for each thread that an SQLite store may write on: the server's and the
 * command line's.
 */
export function testOnWriters(
  promise: string,
  test: (desk: TestDesk) => Promise<void>,
  options: TestDeskOptions = {},
): void {
  for (const [name, writer] of Object.entries(writers)) {
    Deno.test(`sqlite on ${name}: ${promise}`, async () => {
      await using desk = await openTestDesk("sqlite", { ...options, writer: writer() });
      await test(desk);
    });
  }
}
