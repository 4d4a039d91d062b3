import { rawSql } from "../storage/conformance/scratch.ts";
import { defineTransaction } from "../../src/storage/storage.ts";

/**
 * Lets the file grow to so many pages and no further, as a full disk would; 0 asks for as much as
 * there is.
 */
export const limitPages = defineTransaction(
  "test.limit-pages",
  async (tx, { pages }: { pages: number }) => {
    const count = await tx.row(rawSql<{ page_count: number }>("pragma page_count"), {});
    const most = pages === 0 ? 1_000_000 : (count?.page_count ?? 0) + pages;
    await tx.row(rawSql(`pragma max_page_count=${most}`), {});
    return null;
  },
  { withoutRoom: true },
);
