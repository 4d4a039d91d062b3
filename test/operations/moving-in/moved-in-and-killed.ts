/**
 * Moves in as `keydesk import tyk run` does, and kills itself before one statement: the words are the data folder, the
 * folder of the exports and the number of that statement, 0 for none. Prints how many there were.
 */
import { readConfig } from "../../../src/config.ts";
import { permissions } from "../../../src/contract/permissions.ts";
import { openDesk } from "../../../src/desk.ts";
import { ensureFirstAccessToken } from "../../../src/features/access/first-access-token.ts";
import { openExportFiles } from "../../../src/operations/moving-in/export-files.ts";
import { runMoving } from "../../../src/operations/moving-in/moving-in.service.ts";
import { takeIn } from "../../../src/operations/moving-in/take-in.transactions.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { transactions } from "../../../src/transactions.ts";

const [folder = "", exports = "", last = "0"] = Deno.args;
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

const desk = await openDesk(readConfig({ KEYDESK_DATA_DIR: folder }), {
  writer: {
    thread: false,
    transactions: [...transactions.filter(({ id }) => id !== takeIn.id), watched],
  },
});
const { org_id } = await ensureFirstAccessToken(desk, {}, `${folder}/credential`);
const principal = { org_id, user_id: "operator", token_id: "", permissions };
const source = await openExportFiles(exports);
await runMoving(
  { ...desk, principal },
  source,
  { theirs: false, murmurUntil: null, passphrase: undefined },
  { read: () => {}, found: () => {}, isOver: false },
);
await desk.storage.close();
console.log(statements);
