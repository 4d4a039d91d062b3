import { Failure } from "../failure.ts";

/** The jobs of the thread. */
export type PasswordJob =
  | { kind: "hash"; password: string }
  | {
    kind: "verify";
    password: string;
    /** Null: no one's. */
    stored: string | null;
    /** Of the hashes of bcrypt that it may be; null: it is none. */
    greatestCost: number | null;
  };

/** How it ended; `trace` is for the log and never holds a password. */
export type PasswordOutcome = { ok: true; value: string | boolean } | { ok: false; trace: string };

/** Beyond so many waiting, a new one is refused: they would wait for longer than a person does. */
const MOST_WAITING = 32;
/** About how long a full queue takes. */
const RETRY_AFTER_SECONDS = 2;
/** A thread without work for this long is ended, so a quiet server holds none of its memory. */
const IDLE_MS = 30_000;

/**
 * Hashes and checks passwords, one at a time on a thread of its own that starts with the first.
 * Everything throws `too_many_requests` while too many wait, and `unavailable` once closed or where
 * the thread died.
 */
export class Passwords {
  #thread: Worker | undefined;
  #waiting: Waiting[] = [];
  #running: Waiting | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** The hash to store, in PHC form. */
  async hash(password: string): Promise<string> {
    return String(await this.#submit({ kind: "hash", password }));
  }

  /**
   * Whether the password is the stored one; `stored` null takes as long and is never right.
   * `greatestCost` is that of the hashes of bcrypt among which `stored` was looked for, null where
   * there is none: see passwordMatches.
   */
  async matches(
    password: string,
    stored: string | null,
    greatestCost: number | null = null,
  ): Promise<boolean> {
    const matches = await this.#submit({ kind: "verify", password, stored, greatestCost });
    return matches === true && stored !== null;
  }

  /** Ends the thread; callers that wait get `unavailable`. */
  close(): void {
    this.#closed = true;
    this.#endThread();
    const left = [...this.#running ? [this.#running] : [], ...this.#waiting];
    this.#running = undefined;
    this.#waiting = [];
    for (const { reject } of left) reject(new Failure("unavailable"));
  }

  #submit(job: PasswordJob): Promise<string | boolean> {
    if (this.#closed) return Promise.reject(new Failure("unavailable"));
    if (this.#waiting.length >= MOST_WAITING) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      return Promise.reject(new Failure("too_many_requests", { retryAfterSeconds }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running) return;
    this.#running = this.#waiting.shift();
    clearTimeout(this.#idle);
    if (this.#running) {
      this.#thread ??= this.#start();
      this.#thread.postMessage(this.#running.job);
    } else if (this.#thread) {
      this.#idle = setTimeout(() => this.#endThread(), IDLE_MS);
      Deno.unrefTimer(this.#idle);
    }
  }

  #start(): Worker {
    const file = import.meta.url.endsWith(".ts") ? "./password-thread.ts" : "./password-thread.js";
    const thread = new Worker(new URL(file, import.meta.url), {
      type: "module",
      name: "passwords",
    });
    thread.onmessage = ({ data }: MessageEvent<PasswordOutcome>) => {
      this.#settle(({ resolve, reject }) => {
        if (data.ok) resolve(data.value);
        else reject(new Failure("internal", { cause: new Error(data.trace) }));
      });
    };
    thread.onerror = (event) => {
      event.preventDefault();
      this.#endThread();
      const cause = new Error(`the password thread died: ${event.message}`);
      this.#settle(({ reject }) => reject(new Failure("unavailable", { cause })));
    };
    return thread;
  }

  #settle(how: (done: Waiting) => void): void {
    const done = this.#running;
    this.#running = undefined;
    if (done) how(done);
    this.#next();
  }

  #endThread(): void {
    clearTimeout(this.#idle);
    this.#thread?.terminate();
    this.#thread = undefined;
  }
}

interface Waiting {
  job: PasswordJob;
  resolve(value: string | boolean): void;
  reject(error: Failure): void;
}
