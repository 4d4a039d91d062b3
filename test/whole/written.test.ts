/**
 * What an operation writes: its statements by table, each of them once. A further statement of a
 * create or an approval is a decision, and is made here and in bench/notes/writes.md.
 */
import assert from "node:assert/strict";
import type { Statement } from "../../src/storage/statement.ts";
import type { Transaction, Tx } from "../../src/storage/storage.ts";
import { transactions } from "../../src/transactions.ts";
import { addPlan } from "../support/companions.ts";
import { openTestDesk } from "../support/desk.ts";
import { approve, create, smallRequest } from "../support/key-requests.ts";
import { makeKnown } from "../support/known-parties.ts";
import { call } from "../support/people.ts";

/** Statements of one transaction: those that read or lock, and the tables that others write. */
interface Counted {
  reads: number;
  writes: string[];
}

/** A transaction's own view, which counts what it asks for. */
function counting(tx: Tx, counted: Counted): Tx {
  const written = (statement: Statement<never, unknown>) => {
    const { sql } = statement.compile(tx.dialect);
    const [, table = sql] = /(?:insert into|update|delete from)\s+"?(\w+)/i.exec(sql) ?? [];
    counted.writes.push(table);
  };
  const read = () => void counted.reads++;
  return Object.create(tx, {
    row: { value: (...of: Parameters<Tx["row"]>) => (read(), tx.row(...of)) },
    rows: { value: (...of: Parameters<Tx["rows"]>) => (read(), tx.rows(...of)) },
    change: { value: (...of: Parameters<Tx["change"]>) => (written(of[0]), tx.change(...of)) },
    send: { value: (...of: Parameters<Tx["send"]>) => (written(of[0]), tx.send(...of)) },
  });
}

/** What each writes; reads lock or look up, counters of lists are written with the commit. */
const WRITTEN: Readonly<Record<string, Counted>> = {
  "key-requests.create": {
    reads: 4,
    writes: ["audit_events", "key_request_changes", "key_requests", "outbox_events"],
  },
  "key-requests.approve": {
    reads: 6,
    writes: [
      "audit_events",
      "audit_events",
      "credential_plans",
      "credentials",
      "developers",
      "developers",
      "key_requests",
      "outbox_events",
      "outbox_events",
    ],
  },
  "key-requests.decline": {
    reads: 6,
    writes: ["audit_events", "key_requests", "outbox_events"],
  },
  "keys.change-state": {
    reads: 4,
    writes: [
      "audit_events",
      "credential_plans",
      "credential_plans",
      "credentials",
      "developers",
      "invalidation_counter",
      "invalidations",
      "invalidations",
      "outbox_events",
      "provisioned_keys",
    ],
  },
};

// Both engines run the same statements; only this one takes others in their place.
Deno.test("what a create, an approval, a decline and a revocation write", async () => {
  const seen = new Map<string, Counted>();
  const counted = [...transactions, makeKnown].map((one) => ({
    ...one,
    run: (tx: Tx, input: never) => {
      const own: Counted = { reads: 0, writes: [] };
      seen.set(one.id, own);
      return one.run(counting(tx, own), input);
    },
  }));
  // as: a transaction of any input.
  const writer = { thread: false as const, transactions: counted as Transaction<never, unknown>[] };
  await using desk = await openTestDesk("sqlite", { writer });
  await addPlan(desk, { id: "gold", name: "Gold" });
  const asked = smallRequest({ for_plan: "gold" });
  const [first, second] = [await create(desk, asked), await create(desk, asked)];
  await approve(desk, first);
  await call(desk, "POST", `/v1/key-requests/${second}/decline`, { reason: "No" });
  const { data: [key] } = await call(desk, "GET", "/v1/keys");
  await call(desk, "POST", `/v1/keys/${key.key_id}/revoke`, { reason: "Done" });
  const told = Object.keys(WRITTEN).map((id) => {
    const { reads, writes } = seen.get(id) ?? { reads: 0, writes: [] };
    return [id, { reads, writes: writes.toSorted() }];
  });
  assert.deepEqual(Object.fromEntries(told), WRITTEN);
});
