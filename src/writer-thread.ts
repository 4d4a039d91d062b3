import { collectAfterStart } from "./kernel/collect.ts";
import { Sealer } from "./kernel/sealing/sealer.ts";
import type { ThreadScope } from "./kernel/thread-scope.ts";
import type { ToServer, ToWriter } from "./storage/engines/sqlite-threaded-writer.ts";
import { SqliteWriter } from "./storage/engines/sqlite-writer.ts";
import { transactions } from "./transactions.ts";

declare const self: ThreadScope<ToWriter, ToServer>;

/** The thread that writes: a flush or a wait for another process's lock stops only other writes. */
let writer: SqliteWriter | undefined;

/**
 * Ends when what came before has been answered: a group may wait for a lock, and the next message
 * must not overtake it.
 */
let before: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<ToWriter>) => {
  before = before.then(() => take(data));
};

async function take(data: ToWriter): Promise<void> {
  switch (data.kind) {
    case "open":
      writer = new SqliteWriter(data.path, transactions, new Sealer(data.keys), data.makesReserve);
      collectAfterStart();
      return reply({ kind: "opened", lacksRoom: writer.lacksRoom });
    case "group":
      if (!writer) throw new Error("a group came before the writer was opened");
      return reply({
        kind: "ended",
        end: await writer.commitGroup(data.jobs, () => reply({ kind: "flushing" })),
      });
    case "look":
      if (!writer) throw new Error("a look came before the writer was opened");
      return reply({ kind: "looked", othersWrote: writer.othersWrote() });
    case "close":
      writer?.close();
      return reply({ kind: "closed" });
  }
}

function reply(message: ToServer): void {
  self.postMessage(message);
}
