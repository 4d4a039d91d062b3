import { sha256 } from "../../../../kernel/sha256.ts";
import { type ApiDocument, LONGEST_DOCUMENT, LONGEST_MARKDOWN } from "./api-document.ts";
import type { Reading } from "./document-reading-thread.ts";
import { renderMarkdown } from "./markdown.ts";

/** A text that takes longer is not read, in milliseconds; the thread ends with that. */
const PATIENCE_MS = 5000;
/** Markdown of so many characters is rendered at once: nothing in it takes long. */
const SHORT = 2000;
/** More than this waiting and a text is not read. */
const MOST_WAITING = 32;
/** Characters of what was read that are kept. */
const KEPT = 4 * 1024 * 1024;

const kept = new Map<string, { answer: unknown; length: number }>();
let keptLength = 0;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();
let thread: Worker | undefined;

/**
 * The content of a document; see readDocument. It is read on a thread of its own, one after the
 * other, which is ended if a text takes too long: then it is `unreadable`.
 */
export async function readOnThread(
  text: string,
  patienceMs = PATIENCE_MS,
): Promise<ApiDocument> {
  if (text === "") return { kind: "none" };
  if (text.length > LONGEST_DOCUMENT) return { kind: "unreadable" };
  const read = await remembered({ what: "document", text }, patienceMs);
  // as: the thread answers a document with this.
  return read as ApiDocument | undefined ?? { kind: "unreadable" };
}

/** Markdown as HTML; see renderMarkdown. Undefined: it is too long, or takes too long. */
export async function renderedMarkdown(text: string): Promise<string | undefined> {
  if (text.length > LONGEST_MARKDOWN) return undefined;
  if (text.length <= SHORT) return renderMarkdown(text);
  // as: the thread answers Markdown with this.
  return await remembered({ what: "markdown", text }, PATIENCE_MS) as string | undefined;
}

async function remembered(reading: Reading, patienceMs: number): Promise<unknown> {
  const name = `${reading.what} ${sha256(reading.text)}`;
  const found = kept.get(name);
  if (found) return found.answer;
  const answer = await inTurn(reading, patienceMs);
  // A document that was not read for want of a turn may be read another time; one that is known to
  // be too slow is not.
  if (answer !== BUSY) keep(name, answer, lengthOf(answer));
  return answer === BUSY ? undefined : answer;
}

const BUSY = Symbol("too many wait");

/** A cached answer may be longer than the document. */
function lengthOf(answer: unknown): number {
  return typeof answer === "string" ? answer.length : JSON.stringify(answer ?? "").length;
}

function keep(name: string, answer: unknown, length: number): void {
  if (kept.has(name)) return;
  kept.set(name, { answer, length });
  keptLength += length;
  for (const [oldest, entry] of kept) {
    if (keptLength <= KEPT) break;
    kept.delete(oldest);
    keptLength -= entry.length;
  }
}

async function inTurn(reading: Reading, patienceMs: number): Promise<unknown> {
  if (waiting >= MOST_WAITING) return BUSY;
  waiting++;
  const before = last;
  const done = Promise.withResolvers<void>();
  last = done.promise;
  try {
    await before;
    thread ??= await startThread();
    return thread && await ask(thread, reading, patienceMs);
  } finally {
    // It costs nothing while no one asks.
    if (--waiting === 0) stopThread();
    done.resolve();
  }
}

/** Undefined: it did not start. The patience with a text does not count what that takes. */
async function startThread(): Promise<Worker | undefined> {
  const name = "document-reading-thread";
  const file = import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`;
  const worker = new Worker(new URL(file, import.meta.url), { type: "module", name: "documents" });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  worker.onmessage = () => resolve(true);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve(false);
  };
  if (await promise) return worker;
  worker.terminate();
}

function stopThread(): void {
  thread?.terminate();
  thread = undefined;
}

/** Undefined: it took too long, or more memory than there is. */
function ask(worker: Worker, reading: Reading, patienceMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => given(undefined, true), patienceMs);
    const given = (answer: unknown, over = false) => {
      clearTimeout(timer);
      if (over) stopThread();
      resolve(answer);
    };
    worker.onmessage = ({ data }: MessageEvent<unknown>) => given(data);
    worker.onerror = (event) => {
      event.preventDefault();
      given(undefined, true);
    };
    worker.postMessage(reading);
  });
}
