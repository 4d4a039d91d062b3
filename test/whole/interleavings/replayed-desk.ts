/**
 * A desk on SQLite of which any state can be had again: what is done stands in savepoints of one
 * transaction that is never committed, and is taken back to try another order.
 */
import assert from "node:assert/strict";
import { readConfig } from "../../../src/config.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { createLog } from "../../../src/kernel/log.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { openApplication } from "../../../src/server.ts";
import { SqliteConnection } from "../../../src/storage/engines/sqlite-connection.ts";
import { PendingCounts } from "../../../src/storage/pending-counts.ts";
import type { Connection, Transaction, Tx } from "../../../src/storage/storage.ts";
import { transactions } from "../../../src/transactions.ts";
import { offerTokens } from "../../support/granted-keys.ts";
import type { Node } from "../history/clients.ts";
import { setTable, type Table } from "../history/committee-table.ts";
import type { Variant } from "../simulation/variants.ts";

/** When all of it begins. */
export const BEGINS = Date.UTC(2026, 0, 31, 9);
const ADMIN = "administrator-of-every-order-of-calls";
const BUSY = "the change is kept for later";

/** What a call would commit, as its handler gave it to the store; or its answer, given at once. */
export type Begun =
  | { transaction: string; input: unknown }
  | { status: number; body: unknown };

/** How a commit ended. */
export type Committed = { isDone: true; output: unknown } | { isDone: false; code: string };

/** The desk, its clock, and what is done to it. */
export interface ReplayedDesk extends AsyncDisposable {
  readonly table: Table;
  readonly connection: Connection;
  readonly org_id: string;
  tokenOf(request_id: string, offer_id: string): string;
  clock: number;
  /** Has a call's handler do all that comes before its commit. */
  begin(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Begun>;
  /** Runs a transaction, whole or not at all. */
  commit(transaction: string, input: unknown): Promise<Committed>;
  /** Marks the present state, to which `takeBack` of the same mark leads; they nest. */
  mark(): void;
  takeBack(): void;
}

/** Opens one in a folder of its own; `variant`: with transactions broken by it. */
export async function openReplayedDesk(
  { transaction = (one) => one }: Variant = {},
): Promise<ReplayedDesk> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-interleavings-" });
  const sealingKey = newSealingKey().trim();
  const config = readConfig({
    KEYDESK_DATA_DIR: folder,
    KEYDESK_ADMIN_TOKEN: ADMIN,
    KEYDESK_SEALING_KEY: sealingKey,
    // A jump of the clock is longer.
    KEYDESK_OFFER_DAYS: "1",
  });
  const list = new Map(transactions.map((one) => [one.id, transaction(one)]));
  let clock = BEGINS;
  const app = await openApplication(config, {
    writer: { thread: false, transactions },
    log: createLog("error", () => {}),
    clock: { now: () => clock },
  });
  const send = async (method: string, path: string, body: unknown, headers = {}) => {
    const answer = await app.fetch(
      new Request(`http://desk.test${path}`, {
        method,
        headers: { authorization: ADMIN, ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    return { status: answer.status, body: await answer.json() };
  };
  const table = await setTable(send as Node);
  const connection = SqliteConnection.openWriter(config.databaseFile);
  connection.control("begin immediate");
  let begun: Begun | undefined;
  const { storage } = app.ctx;
  // What handlers read is what was done so far, though nobody has committed it.
  Object.assign(storage.reader, {
    rows: connection.rows.bind(connection),
    row: connection.row.bind(connection),
  });
  Object.assign(storage.changes ?? {}, { holds: () => false });
  storage.commit = (transaction, input) => {
    begun ??= { transaction: transaction.id, input };
    throw new Failure("unavailable", { message: BUSY });
  };
  return {
    table,
    connection,
    org_id: app.first.org_id,
    tokenOf: offerTokens(sealingKey, app.first.org_id),
    get clock() {
      return clock;
    },
    set clock(now) {
      clock = now;
    },
    begin: async (method, path, body, headers) => {
      begun = undefined;
      const answer = await send(method, path, body, headers);
      return begun ?? answer;
    },
    commit: async (id, input) => {
      const found = list.get(id);
      assert.ok(found, id);
      return await commit(connection, found, input, app.ctx.sealer);
    },
    mark: () => connection.exec("savepoint moment"),
    takeBack: () => connection.exec("rollback to moment; release moment"),
    [Symbol.asyncDispose]: async () => {
      connection.rollback();
      connection.close();
      await app.ctx.verifier.close();
      await app.ctx.storage.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** As the writer of SQLite runs a job beside others. */
async function commit(
  connection: SqliteConnection,
  transaction: Transaction<never, unknown>,
  input: unknown,
  sealer: Tx["sealer"],
): Promise<Committed> {
  connection.exec("savepoint job");
  const counts = new PendingCounts();
  const tx: Tx = {
    dialect: connection.dialect,
    rows: (statement, params) => connection.rows(statement, params),
    row: (statement, params) => connection.row(statement, params),
    change: (statement, params) => connection.change(statement, params),
    send: (statement, params) => connection.send(statement, params),
    sealer,
    counts,
  };
  try {
    // as: the handler gave this input with this transaction.
    const output = await transaction.run(tx, input as never);
    await counts.apply(connection);
    connection.exec("release job");
    return { isDone: true, output };
  } catch (error) {
    connection.exec("rollback to job; release job");
    if (!(error instanceof Failure)) throw error;
    return { isDone: false, code: error.code };
  }
}
