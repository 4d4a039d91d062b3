import type { SealingKeys } from "../../sealing/sealing-keys.ts";
import type { WriterPort } from "./sqlite.ts";
import type { Job, Outcome } from "./sqlite-writer.ts";

/** What the server sends its writer thread. It takes them one after another. */
export type ToWriter =
  | { kind: "open"; path: string; keys: SealingKeys }
  | { kind: "group"; jobs: readonly Job[] }
  | { kind: "close" };

/** What comes back: one reply to each message, in their order; `flushing` comes before a group's reply. */
export type ToServer =
  | { kind: "opened" }
  | { kind: "flushing" }
  | { kind: "outcomes"; outcomes: Outcome[] }
  | { kind: "closed" };

/**
 * Starts the writer thread on a migrated SQLite file. `onCrash` is called when the thread dies: nothing can be
 * written any more, so the process should end and be started again; what was acknowledged is safe.
 */
export async function startThreadedWriter(
  path: string,
  keys: SealingKeys,
  onCrash: (error: Error) => void,
): Promise<WriterPort> {
  const file = import.meta.url.endsWith(".ts")
    ? "./sqlite-writer-thread.ts"
    : "./sqlite-writer-thread.js";
  const worker = new Worker(new URL(file, import.meta.url), { type: "module", name: "writer" });
  const asked: {
    resolve(reply: ToServer): void;
    reject(error: Error): void;
    onFlush?: () => void;
  }[] = [];
  let crash: Error | undefined;

  worker.onmessage = ({ data }: MessageEvent<ToServer>) => {
    if (data.kind === "flushing") asked[0]?.onFlush?.();
    else asked.shift()?.resolve(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    crash = new Error(`the writer thread died: ${event.message}`);
    for (const { reject } of asked.splice(0)) reject(crash);
    onCrash(crash);
  };
  const ask = (message: ToWriter, onFlush?: () => void) =>
    new Promise<ToServer>((resolve, reject) => {
      if (crash) return reject(crash);
      asked.push({ resolve, reject, onFlush });
      worker.postMessage(message);
    });

  await ask({ kind: "open", path, keys });
  return {
    commitGroup: async (jobs, onFlush) => {
      const reply = await ask({ kind: "group", jobs }, onFlush);
      if (reply.kind !== "outcomes") throw new Error(`the writer thread replied ${reply.kind}`);
      return reply.outcomes;
    },
    close: async () => {
      await ask({ kind: "close" });
      worker.terminate();
    },
  };
}
