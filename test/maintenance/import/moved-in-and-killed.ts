/**
 * Moves in as `keydesk import tyk run` does, and kills itself before one statement: the words are
 * the folder of the exports and the number of that statement, 0 for none; the settings name the
 * store. Prints how many statements there were, and what `verify` says, as JSON.
 */
import { readConfig } from "../../../src/config.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { openServer } from "../../../src/open-server.ts";
import { PASSPHRASE } from "../../../examples/moving/certificates.ts";
import { ORG } from "../../../examples/moving/fill.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import { runMoving, verifyMoving } from "../../../src/maintenance/import/import.service.ts";
import { takeIn } from "../../../src/maintenance/import/take-in.transactions.ts";
import type { Transaction, Tx } from "../../../src/storage/storage.ts";
import { transactions } from "../../../src/transactions.ts";

const [exports = "", last = "0"] = Deno.args;
let statements = 0;

function step(): void {
  statements++;
  if (statements === Number(last)) Deno.kill(Deno.pid, "SIGKILL");
}

/** The same transaction, whose statements are counted. */
const watched: typeof takeIn = {
  id: takeIn.id,
  run: async (tx, batch) => {
    const around: Tx = {
      dialect: tx.dialect,
      sealer: tx.sealer,
      counts: tx.counts,
      rows: (one, params) => (step(), tx.rows(one, params)),
      row: (one, params) => (step(), tx.row(one, params)),
      change: (one, params) => (step(), tx.change(one, params)),
      send: (one, params) => (step(), tx.send(one, params)),
    };
    const result = await takeIn.run(around, batch);
    // Everything is written, and nothing committed.
    step();
    return result;
  },
};

const desk = await openServer(readConfig(Deno.env.toObject()), {
  writer: {
    thread: false,
    transactions: [...transactions.filter(({ id }) => id !== takeIn.id), watched],
  },
});
// SQLite looks transactions up in that list, PostgreSQL runs the one that it is given.
const storage = new Proxy(desk.storage, {
  get: (target, name) => {
    if (name === "commit") {
      return (one: Transaction<unknown, unknown>, input: unknown) =>
        // as: what is given for this transaction has its form.
        target.commit(one.id === takeIn.id ? watched as typeof one : one, input);
    }
    const value = Reflect.get(target, name, target);
    return typeof value === "function" ? value.bind(target) : value;
  },
});
const principal = { org_id: ORG, user_id: "operator", token_id: "", permissions };
const ctx = { ...desk, storage, principal };
const options = { theirs: false, murmurUntil: "2099-12-31T00:00:00.000Z", passphrase: PASSPHRASE };
const listener = { read: () => {}, found: () => {}, isOver: false };
await runMoving(ctx, await openExportFiles(exports), options, listener);
const verified = await verifyMoving(ctx, await openExportFiles(exports), options, listener);
await desk.storage.close();
console.log(JSON.stringify({ statements, verified }));
