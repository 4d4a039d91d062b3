import type { SealingKeys } from "../../sealing/sealing-keys.ts";
import type { WriterPort } from "./sqlite.ts";
import type { Job, Outcome } from "./sqlite-writer.ts";

/** What the server sends its writer thread. One message is under way at a time. */
export type ToWriter =
  | { kind: "open"; path: string; keys: SealingKeys }
  | { kind: "group"; jobs: readonly Job[] }
  | { kind: "close" };

/** What comes back: one reply to each message. */
export type ToServer =
  | { kind: "opened" }
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
  let settle: { resolve(reply: ToServer): void; reject(error: Error): void } | undefined;

  worker.onmessage = ({ data }: MessageEvent<ToServer>) => settle?.resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    const error = new Error(`the writer thread died: ${event.message}`);
    settle?.reject(error);
    onCrash(error);
  };
  const ask = (message: ToWriter) =>
    new Promise<ToServer>((resolve, reject) => {
      settle = { resolve, reject };
      worker.postMessage(message);
    });

  await ask({ kind: "open", path, keys });
  return {
    commitGroup: async (jobs) => {
      const reply = await ask({ kind: "group", jobs });
      if (reply.kind !== "outcomes") throw new Error(`the writer thread replied ${reply.kind}`);
      return reply.outcomes;
    },
    close: async () => {
      await ask({ kind: "close" });
      worker.terminate();
    },
  };
}
