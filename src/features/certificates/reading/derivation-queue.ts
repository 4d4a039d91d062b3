import { Failure } from "../../../kernel/failure.ts";
import type { Pkcs12Derivation } from "./pkcs12-derivation.ts";

/** More than this waiting and a new one is refused: each may take a second. */
const MOST_WAITING = 16;

let waiting = 0;
let holders = 0;
let last: Promise<unknown> = Promise.resolve();
let thread: Worker | undefined;

/**
 * A derivation on a thread of its own, one after the other for the whole process, so that uploads
 * take no more than one processor. Throws `unavailable` when too many wait.
 */
export async function deriveOnThread(derivation: Pkcs12Derivation): Promise<string> {
  if (waiting >= MOST_WAITING) throw new Failure("unavailable");
  waiting++;
  const before = last;
  const done = Promise.withResolvers<void>();
  last = done.promise;
  try {
    await before;
    thread ??= startThread();
    return await ask(thread, derivation);
  } finally {
    waiting--;
    done.resolve();
  }
}

/**
 * Runs `work`; the thread that its first long derivation starts is there for the others too, and
 * ends after it.
 */
export async function holdingThread<T>(work: () => Promise<T>): Promise<T> {
  holders++;
  try {
    return await work();
  } finally {
    if (--holders === 0) stopThread();
  }
}

function startThread(): Worker {
  const name = "pkcs12-derivation-thread";
  const file = import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`;
  return new Worker(new URL(file, import.meta.url), { type: "module", name: "derivation" });
}

function stopThread(): void {
  thread?.terminate();
  thread = undefined;
}

function ask(worker: Worker, derivation: Pkcs12Derivation): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<string>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      stopThread();
      reject(new Failure("unavailable", { cause: new Error(event.message) }));
    };
    worker.postMessage(derivation);
  });
}
