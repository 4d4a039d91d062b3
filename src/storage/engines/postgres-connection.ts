import process from "node:process";
import type { Writable } from "node:stream";
import type { Deadline } from "../../kernel/deadline.ts";
import type { Statement } from "../statement.ts";
import type { Connection, Tx } from "../storage.ts";
import { isAfterFailure } from "./postgres-errors.ts";
import { statementName } from "./postgres-pooler.ts";
import type { Lease } from "./postgres-servers.ts";

/** A connection of the driver as ours. Errors are the driver's. `limitMs` as `asking` takes it. */
export function connectionOn(lease: Lease, limitMs?: number): Connection {
  return asConnection((statement, params) => query(lease, statement, params, limitMs).answer);
}

/** The statements of one transaction, but for its end. Errors are the driver's. */
export interface OpenTransaction extends Connection, Pick<Tx, "send"> {
  /** Whether anything but `select` was run. */
  wrote(): boolean;
  /** Resolves when all that was sent is answered: with the error that came first, or undefined. */
  settled(): Promise<unknown>;
  /** From here on every statement throws: the connection will be another person's. */
  end(): void;
}

/**
 * Begins a transaction. Statements without a needed answer cost no round trip: `begin` travels with
 * the first statement, and later ones with the next one that is waited for, at the latest with the
 * commit. Behind the deadline every statement throws.
 */
export function beginOn(lease: Lease, deadline?: Deadline): OpenTransaction {
  let wrote = false;
  let ended = false;
  const begun = ask(lease, () => lease.client.query("begin"));
  const sent: Promise<unknown>[] = [begun];
  begun.catch(() => {});
  const run = async <P extends object, R>(statement: Statement<P, R>, params: P) => {
    if (prepared(statement).mayWrite) {
      // A write that no transaction holds would be kept by itself.
      if (!wrote) await begun;
      wrote = true;
    }
    if (ended) throw new Error("the transaction has ended");
    deadline?.check();
    return query(lease, statement, params);
  };
  return {
    ...asConnection(async (statement, params) => {
      const answer = await (await run(statement, params)).answer;
      deadline?.progress();
      return answer;
    }),
    send: async (statement, params) => {
      const { answer } = await run(statement, params);
      answer.catch(() => {});
      sent.push(answer);
    },
    wrote: () => wrote,
    end: () => void (ended = true),
    settled: async () => {
      const results = await Promise.allSettled(sent);
      const failed = results.find((result) =>
        result.status === "rejected" && !isAfterFailure(result.reason)
      );
      return failed?.status === "rejected" ? failed.reason : undefined;
    },
  };
}

interface Answered {
  rows: unknown[];
  rowCount: number | null;
}

/** The sent query; in an object, so that awaiting that it was sent is not awaiting the answer. */
function query<P extends object, R>(
  lease: Lease,
  statement: Statement<P, R>,
  params: P,
  limitMs?: number,
): { answer: Promise<Answered> } {
  const { name, text, values } = prepared(statement);
  const question = { ...lease.named() ? { name } : {}, text, values: values(params) };
  return { answer: ask(lease, () => lease.client.query(question), limitMs) };
}

type Run = <P extends object>(statement: Statement<P, unknown>, params: P) => Promise<Answered>;

function asConnection(run: Run): Connection {
  return {
    dialect: "postgres",
    // as (both): the statement's builder typed the columns that it selects.
    rows: async <P extends object, R>(s: Statement<P, R>, params: P) =>
      (await run(s, params)).rows as R[],
    row: async <P extends object, R>(s: Statement<P, R>, params: P) =>
      (await run(s, params)).rows[0] as R | undefined,
    change: async (s, params) => (await run(s, params)).rowCount ?? 0,
  };
}

/** Asks the server something, under the eyes of the pulse; `limitMs` as `asking` takes it. */
export async function ask<T>(
  lease: Lease,
  question: () => Promise<T>,
  limitMs?: number,
): Promise<T> {
  lease.asking(limitMs);
  sendTogether(lease);
  try {
    return await question();
  } finally {
    lease.answered();
  }
}

/** Sends the queries of a connection in this turn of the event loop in one piece, at its end. */
function sendTogether({ client }: Lease): void {
  // as: of ClientBase, which the types give, Client is the only class.
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

interface Prepared {
  name: string;
  text: string;
  mayWrite: boolean;
  values(params: object): unknown[];
}

const known = new WeakMap<object, Prepared>();

/** With a name for the server's prepared statement. */
function prepared(statement: Statement<never, unknown>): Prepared {
  let found = known.get(statement);
  if (!found) {
    const { sql, values } = statement.compile("postgres");
    const mayWrite = !/^\s*select\b/i.test(sql);
    found = { name: statementName(sql), text: sql, mayWrite, values };
    known.set(statement, found);
  }
  return found;
}
