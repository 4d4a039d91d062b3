import { defineTransaction, type Transaction } from "../../../src/storage/storage.ts";

/** Lets an approval see every request as pending, and every compare-and-set succeed. */
export const blind = (of: Transaction<never, unknown>) =>
  defineTransaction(`test.blind.${of.id}`, (tx, input: never) =>
    of.run({
      ...tx,
      row: async (statement, params) => {
        const row = await tx.row(statement, params);
        const isIssued = row !== undefined && (row as { state?: string }).state === "issued";
        return isIssued ? { ...row, state: "pending" } : row;
      },
      change: async (statement, params) => Math.max(1, await tx.change(statement, params)),
    }, input));
