import type { SealingKeys } from "../../kernel/sealing/sealing-keys.ts";
import type { GroupEnd, Job } from "./sqlite-writer.ts";
import type { WriterPort } from "./sqlite.ts";

/** The messages of the server to its writer thread. It takes them one after another. */
export type ToWriter =
  | { kind: "open"; path: string; keys: SealingKeys; makesReserve: boolean }
  | { kind: "group"; jobs: readonly Job[] }
  | { kind: "look" }
  | { kind: "close" };

/** The replies: one for each message, in order; `flushing` comes before a group's. */
export type ToServer =
  | { kind: "opened"; lacksRoom: boolean }
  | { kind: "flushing" }
  | { kind: "ended"; end: GroupEnd }
  | { kind: "looked"; othersWrote: boolean }
  | { kind: "closed" };

/**
 * The thread that writes an SQLite file. It loads by itself from the moment that it is made, and
 * opens one file.
 */
export class WriterThread {
  readonly #worker: Worker;
  readonly #asked: Asked[] = [];
  #crash: Error | undefined;
  #onCrash: (error: Error) => void = () => {};

  /** `module`: where the thread's own module stands, which knows every transaction. */
  constructor(module: URL) {
    this.#worker = new Worker(module, { type: "module", name: "writer" });
    this.#worker.onmessage = ({ data }: MessageEvent<ToServer>) => {
      if (data.kind === "flushing") this.#asked[0]?.onFlush?.();
      else this.#asked.shift()?.resolve(data);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#crash = new Error(`the writer thread died: ${event.message}`);
      for (const { reject } of this.#asked.splice(0)) reject(this.#crash);
      this.#onCrash(this.#crash);
    };
  }

  /**
   * Opens a migrated SQLite file. Throws where that fails or the thread has died; `onCrash` is
   * called when it dies later: nothing can be written any more, so the process should end and be
   * started again; what was acknowledged is safe. `makesReserve`: as of SqliteWriter.
   */
  async open(
    path: string,
    keys: SealingKeys,
    onCrash: (error: Error) => void,
    makesReserve = false,
  ): Promise<WriterPort> {
    this.#onCrash = onCrash;
    const opened = await this.#ask({ kind: "open", path, keys, makesReserve });
    return {
      lacksRoom: opened.kind === "opened" && opened.lacksRoom,
      commitGroup: async (jobs, onFlush) => {
        const reply = await this.#ask({ kind: "group", jobs }, onFlush);
        if (reply.kind !== "ended") throw new Error(`the writer thread replied ${reply.kind}`);
        return reply.end;
      },
      othersWrote: async () => {
        const reply = await this.#ask({ kind: "look" });
        if (reply.kind !== "looked") throw new Error(`the writer thread replied ${reply.kind}`);
        return reply.othersWrote;
      },
      close: async () => {
        await this.#ask({ kind: "close" });
        this.#worker.terminate();
      },
    };
  }

  #ask(message: ToWriter, onFlush?: () => void): Promise<ToServer> {
    return new Promise<ToServer>((resolve, reject) => {
      if (this.#crash) return reject(this.#crash);
      // First what can fail: no one waits for the reply to what can't be sent.
      this.#worker.postMessage(message);
      this.#asked.push({ resolve, reject, onFlush });
    });
  }
}

/** The caller who waits for the reply to a message. */
interface Asked {
  resolve(reply: ToServer): void;
  reject(error: Error): void;
  onFlush?: (() => void) | undefined;
}
