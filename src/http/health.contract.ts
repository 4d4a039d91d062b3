import { z } from "zod";

/** The result of the last change. */
export const lastCommit = z.strictObject({
  outcome: z.enum(["kept", "failed"]),
  reason: z.string().nullable().describe("The engine's code where it failed: `SQLITE_FULL`."),
  age_seconds: z.int(),
}).nullable().describe("Null: nothing was written since the start.");

/** The result of the last change, and the state of the store's log. */
export const writing = z.strictObject({
  last_commit: lastCommit,
  log_bytes: z.int().nullable().describe(
    "The size of SQLite's write-ahead log on the disk; null on PostgreSQL.",
  ),
  checkpoint_age_seconds: z.int().nullable().describe(
    "Since SQLite last took over changes from its log into the database; null on PostgreSQL.",
  ),
}).meta({ id: "Writing" });
