import type { DerivationJob, DerivationOutcome } from "./key-derivation-thread.ts";
import type { KeyDerivation } from "./key-derivation.ts";
import { Unavailable } from "./refusal.ts";

/** More than this waiting and a new one is refused: each may take seconds. */
const MOST_WAITING = 16;

let waiting = 0;
let holders = 0;
let last: Promise<unknown> = Promise.resolve();
let thread: Worker | undefined;

/**
 * A derivation on a thread of its own, one after the other for the whole process, so that uploads
 * take no more than one processor. It ends at once when `signal` is aborted. Throws `Unavailable`
 * then, and when too many wait.
 */
export async function deriveOnThread(
  derivation: KeyDerivation,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (waiting >= MOST_WAITING || signal?.aborted) {
    throw new Unavailable("others wait, or it was given up");
  }
  waiting++;
  const before = last;
  const done = Promise.withResolvers<void>();
  last = done.promise;
  try {
    await before;
    if (signal?.aborted) throw new Unavailable("it was given up");
    thread ??= startThread();
    return await ask(thread, derivation, signal);
  } finally {
    waiting--;
    done.resolve();
  }
}

/**
 * Runs `work`; the thread that its first long derivation starts is there for the others too, and
 * ends after it.
 */
export async function occupyingThread<T>(work: () => Promise<T>): Promise<T> {
  holders++;
  try {
    return await work();
  } finally {
    if (--holders === 0) stopThread();
  }
}

function startThread(): Worker {
  const name = "key-derivation-thread";
  const file = import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`;
  return new Worker(new URL(file, import.meta.url), { type: "module", name: "derivation" });
}

function stopThread(): void {
  thread?.terminate();
  thread = undefined;
}

function ask(
  worker: Worker,
  derivation: KeyDerivation,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const fail = (reason: string) => reject(new Unavailable(reason));
  // The thread looks at it: ending one that computes takes the runtime two seconds.
  const abandoned = new Int32Array(new SharedArrayBuffer(4));
  const abandon = () => Atomics.store(abandoned, 0, 1);
  signal?.addEventListener("abort", abandon, { once: true });
  worker.onmessage = ({ data }: MessageEvent<DerivationOutcome>) =>
    data === null ? fail("it was abandoned") : resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    stopThread();
    fail(event.message);
  };
  const job: DerivationJob = { derivation, abandoned };
  worker.postMessage(job);
  return promise.finally(() => signal?.removeEventListener("abort", abandon));
}
