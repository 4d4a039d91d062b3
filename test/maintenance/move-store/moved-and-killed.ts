/**
 * Moves a store as `keydesk move-store` does, and kills itself at one step: the words are the
 * places of both ends and the number of the step. A step is the moment before or after one thing
 * that is done to a store.
 */
import { beginMove } from "../../../src/maintenance/move-store/begin-move.ts";
import {
  copyTables,
  openTarget,
  translationFor,
  verifyTables,
} from "../../../src/maintenance/move-store/move-store.ts";
import type { StoreSession } from "../../../src/storage/engines/store-session.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import type { StorageLocation } from "../../../src/storage/open-storage.ts";

const [from = "", to = "", last = ""] = Deno.args;
const steps: string[] = [];

const source = watched("source", await openSession(locationOf(from)));
const target = watched("target", await openSession(locationOf(to)));
const { move } = await beginMove(source, target);
const translation = await translationFor(move);
await copyTables(move, translation, () => {});
step("copied");
await verifyTables(move, translation, () => {});
step("compared");
await openTarget(move);
await target.close();
await source.close();
console.log(JSON.stringify(steps));

function step(name: string): void {
  steps.push(name);
  if (steps.length === Number(last)) Deno.kill(Deno.pid, "SIGKILL");
}

function watched(end: string, session: StoreSession): StoreSession {
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    step(`before ${end}: ${name}`);
    const result = await work();
    step(`after ${end}: ${name}`);
    return result;
  };
  return {
    ...session,
    exec: (text) => around(text.slice(0, 60), () => session.exec(text)),
    change: (statement, params) =>
      around(
        statement.compile(session.dialect).sql.slice(0, 60),
        () => session.change(statement, params),
      ),
    insertRows: (table, rows) =>
      around(`rows of ${table.name}`, () => session.insertRows(table, rows)),
    lockAlone: () => around("hold", () => session.lockAlone()),
  };
}

function locationOf(text: string): StorageLocation {
  return text.startsWith("postgres") ? { url: text } : { path: text };
}
