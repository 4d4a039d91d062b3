/**
 * Ways to break a desk, each by wrapping what it is made of. The simulation must find every one.
 */
import type { SqliteConnection } from "../../../src/storage/engines/sqlite-connection.ts";
import { type Statement, statement } from "../../../src/storage/statement.ts";
import {
  defineTransaction,
  type Storage,
  type Transaction,
  type Tx,
} from "../../../src/storage/storage.ts";
import { blind } from "../history/broken.ts";
import { type Disk, DiskFailed } from "./disk.ts";
import { virtual } from "./virtual.ts";

/** A desk that is not as it should be; without members it is as it is. */
export interface Variant {
  /** Replaces a transaction. */
  transaction?(one: Transaction<never, unknown>): Transaction<never, unknown>;
  /** For the variant alone. */
  extra?: readonly Transaction<never, unknown>[];
  /** Changes the connection that writes. */
  writer?(connection: SqliteConnection): void;
  /** False: a start does not write the log that it finds once more. */
  rewritesLog?: false;
  /** Changes an open desk. */
  desk?(storage: Storage, disk: Disk): void;
}

/** The desk as it is. */
export const asItIs = "as it is";

/** By their names. */
export const variants: Readonly<Record<string, Variant>> = {
  [asItIs]: {},
  "answers come before the flush, which follows 2 ms later": {
    desk: (_, disk) => {
      const sync = disk.sync.bind(disk);
      const syncLater = (name: string) => {
        if (!disk.stopped && disk.has(name)) sync(name);
      };
      disk.sync = (name) => {
        if (name.endsWith("-wal")) virtual.set(() => syncLater(name), 2, false);
        else sync(name);
      };
    },
  },
  "synchronous=OFF": { writer: (connection) => connection.exec("pragma synchronous=off") },
  "synchronous=NORMAL": { writer: (connection) => connection.exec("pragma synchronous=normal") },
  "a flush that failed counts as done": {
    desk: (_, disk) => {
      const sync = disk.sync.bind(disk);
      disk.sync = (name) => {
        try {
          sync(name);
        } catch (error) {
          if (!(error instanceof DiskFailed)) throw error;
        }
      };
    },
  },
  "a log whose flush failed is trusted by the next start": { rewritesLog: false },
  "audit rows in a second transaction": later(/^insert into "audit_events"/),
  "outbox rows in a second transaction": later(/^insert into "outbox_events"/),
  "deliveries in a second transaction": later(/^insert into "deliveries"/),
  "deliveries that don't wait for their line": {
    transaction: (one) =>
      one.id === "deliveries.fan-out"
        ? wrapped(one, (tx) => ({
          ...tx,
          rows: async (statement, params) =>
            /^select distinct "object_id"/.test(statement.compile(tx.dialect).sql)
              ? []
              : await tx.rows(statement, params),
        }))
        : one,
  },
  "what was refused counts as delivered": {
    transaction: (one) =>
      one.id === "deliveries.settle"
        ? defineTransaction(one.id, (tx, input: never) => {
          // as: what a settlement is told.
          const told = input as { outcomes: readonly { ok: boolean }[] };
          const outcomes = told.outcomes.map((outcome) => ({ ...outcome, ok: true }));
          return one.run(tx, { ...told, outcomes } as never);
        })
        : one,
  },
  "the idempotency row in a second transaction": later(
    /^(insert into|update) "idempotent_answers"/,
  ),
  "an approval without its condition": {
    transaction: (one) => one.id === "key-requests.approve" ? named(one, blind(one)) : one,
  },
  "a removal that forgets the counters": {
    transaction: (one) =>
      one.id === "key-requests.remove"
        ? wrapped(one, (tx) => ({
          ...tx,
          counts: { add: () => {}, soFar: (org_id, list) => tx.counts.soFar(org_id, list) },
        }))
        : one,
  },
  "revocations that are answered and not made": {
    desk: (storage) => {
      const commit = storage.commit.bind(storage);
      storage.commit = async (transaction, input) => {
        if (transaction.id !== "keys.change-state") return await commit(transaction, input);
        // as: what a change of state gives.
        return null as Awaited<ReturnType<typeof transaction.run>>;
      };
    },
  },
};

type Call = [Statement<object, unknown>, object];

/**
 * Writes that match are made by a transaction of their own, right after the one that they belong
 * to.
 */
function later(which: RegExp): Variant {
  const kept = new Map<unknown, Call[]>();
  const writeLater = defineTransaction("test.write-later", async (tx, input: { calls: Call[] }) => {
    for (const [statement, params] of input.calls) await tx.change(statement, params);
    return null;
  });
  return {
    // as: the list knows transactions by their ids alone.
    extra: [writeLater as Transaction<never, unknown>],
    transaction: (one) =>
      defineTransaction(one.id, async (tx, input: never) => {
        const calls: Call[] = [];
        const isLater = (statement: Statement<never, unknown>) =>
          which.test(statement.compile(tx.dialect).sql);
        const keep = (statement: unknown, params: object) =>
          void calls.push([statement as Call[0], params]);
        const output = await one.run({
          ...tx,
          send: async (statement, params) =>
            isLater(statement) ? keep(statement, params) : await tx.send(statement, params),
          change: async (statement, params) => {
            if (!isLater(statement)) return await tx.change(statement, params);
            if (await isClaimed(tx, params)) return 0;
            keep(statement, params);
            return 1;
          },
        }, input);
        if (calls.length > 0) kept.set(input, calls);
        return output;
      }),
    desk: (storage) => {
      const commit = storage.commit.bind(storage);
      storage.commit = async (transaction, input) => {
        const output = await commit(transaction, input);
        const calls = kept.get(input);
        kept.delete(input);
        if (calls) await commit(writeLater, { calls });
        return output;
      };
    },
  };
}

const claimedSql = statement<{ scope: string }>()((db, p) =>
  db.selectFrom("idempotent_answers").select("scope").where("scope", "=", p.scope)
);

/** Of an idempotency row: whether somebody was here before. */
async function isClaimed(tx: Tx, params: object): Promise<boolean> {
  return "scope" in params &&
    await tx.row(claimedSql, { scope: String(params.scope) }) !== undefined;
}

const wrapped = (of: Transaction<never, unknown>, wrap: (tx: Tx) => Tx) =>
  defineTransaction(of.id, (tx, input: never) => of.run(wrap(tx), input));

const named = (of: Transaction<never, unknown>, by: Transaction<never, unknown>) =>
  defineTransaction(of.id, (tx, input: never) => by.run(tx, input));
