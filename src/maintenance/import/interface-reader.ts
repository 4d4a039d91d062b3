import { fetchProblem } from "../../kernel/fetch-problem.ts";
import { cutDocuments } from "./cut-documents.ts";
import { isObject } from "./extended-json.ts";
import { reachableUrl } from "./reachable-url.ts";
import { type Members, SourceUnusable } from "./source.ts";

/** The address of an interface, and its secret. */
export interface InterfacePlace {
  option: "--dashboard" | "--gateway";
  secretOption: string;
  url: string;
  /** The header that carries the secret. */
  header: string;
  secret: string;
  /** Certificates of the authorities that are trusted, in PEM. */
  ca?: string | undefined;
  /** True: named as a server that may be reached without TLS. */
  allowPlain: boolean;
  /** The pause after a first failure in milliseconds; each further one is twice as long. */
  pauseMs?: number | undefined;
}

/** An answer that is read as it comes. */
interface Opened {
  status: number;
  /** How long the server asks to be left alone; null: it says nothing of it. */
  retryAfterMs: number | null;
  pieces: AsyncIterable<Uint8Array>;
  /** Ends the call where its answer is not wanted. */
  drop(): Promise<void>;
}

const TRIES = 5;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** For an answer to begin, and for each further piece: lists of everything take their time. */
const PATIENCE_MS = 60_000;
const LARGEST = 16 * 1024 * 1024;
const LARGEST_LIST = 8 * 1024 * 1024 * 1024;

/** An id as a part of a path, whatever the other side calls an id. */
export function inPath(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

/**
 * Another system's interface, which is asked with GET alone. Redirects are refused, since the
 * secret would go along; a busy or failing server is asked again a few times. No message says what
 * was asked for: a path may hold a key.
 */
export class InterfaceReader {
  readonly host: string;
  readonly #base: string;
  readonly #client: Deno.HttpClient | undefined;

  /** Throws SourceUnusable for a URL that is not to be asked. */
  constructor(readonly place: InterfacePlace) {
    const { option, secretOption, allowPlain, ca, secret } = place;
    const way = { option, secretOption, allowPlain, plain: "http:", secure: "https:" };
    const url = reachableUrl(place.url, way);
    if (!/^[\x21-\x7e]+$/.test(secret)) {
      throw new SourceUnusable(`${secretOption}: expected one line without blanks`);
    }
    this.host = url.host;
    this.#base = url.origin + url.pathname.replace(/\/+$/, "");
    this.#client = ca === undefined ? undefined : Deno.createHttpClient({ caCerts: [ca] });
  }

  /** An answer's status, and its JSON where it is that. `most`: bytes. Throws SourceUnusable. */
  async value(
    path: string,
    most = LARGEST,
    tries = TRIES,
  ): Promise<{ status: number; value: unknown }> {
    return await this.#patiently(async () => {
      const opened = await this.#send(path, most);
      const { status, retryAfterMs } = opened;
      return { status, retryAfterMs, value: parsed(await textOf(opened.pieces)) };
    }, tries);
  }

  /** The objects that an answer lists, one after the other; else its status alone. */
  async list(
    path: string,
    tries = TRIES,
  ): Promise<{ status: number; objects: AsyncIterable<Members> }> {
    const opened = await this.#patiently(() => this.#send(path, LARGEST_LIST), tries);
    const { status } = opened;
    if (status === 200) return { status, objects: this.#objectsIn(opened.pieces) };
    await opened.drop();
    return { status, objects: nothing() };
  }

  close(): void {
    this.#client?.close();
  }

  /**
   * The error for an unexpected answer of an interface; `what` is requested, such as "the
   * policies".
   */
  unusable(what: string, status: number): SourceUnusable {
    return new SourceUnusable(`${this.host}: ${what}: HTTP ${status}`);
  }

  async *#objectsIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Members, void, void> {
    try {
      for await (const cut of cutDocuments(pieces, { listed: true })) {
        const value = "text" in cut ? parsed(cut.text) : undefined;
        if (!isObject(value)) throw this.#brokenOff();
        yield value;
      }
    } catch (error) {
      throw error instanceof SourceUnusable ? error : this.#brokenOff();
    }
  }

  #brokenOff(): SourceUnusable {
    return this.#unanswered("an answer broke off; what came in stays in, run it again");
  }

  #unanswered(reason: string): SourceUnusable {
    const isDashboard = this.place.option === "--dashboard";
    const hint = isDashboard ? "; --page-by-page where its lists are too long for it" : "";
    return new SourceUnusable(`${this.host}: ${reason}${hint}`);
  }

  /**
   * Tries again while the server is busy, fails or is not reached. A last answer is given, whatever
   * it is.
   */
  async #patiently<T extends { status: number; retryAfterMs: number | null }>(
    ask: () => Promise<T>,
    tries = TRIES,
  ): Promise<T> {
    const first = this.place.pauseMs ?? PAUSE_MS;
    for (let n = 1;; n++) {
      let asked: number | null = null;
      try {
        const answer = await ask();
        const mayPass = answer.status === 429 || answer.status >= 500;
        if (!mayPass || n === tries) return answer;
        asked = answer.retryAfterMs;
      } catch (error) {
        if (error instanceof SourceUnusable) throw error;
        if (n === tries || !(error instanceof Error)) {
          const reason = error instanceof Error ? problemOf(error) : "no answer";
          throw error instanceof TimedOut
            ? this.#unanswered(reason)
            : new SourceUnusable(`${this.host}: ${reason}`);
        }
      }
      const pause = Math.max(asked ?? 0, first * 2 ** (n - 1));
      await new Promise((resolve) => setTimeout(resolve, Math.min(pause, LONGEST_PAUSE_MS)));
    }
  }

  async #send(path: string, most: number): Promise<Opened> {
    const { header, secret, secretOption } = this.place;
    const abort = new AbortController();
    let timer = setTimeout(() => abort.abort(new TimedOut()), PATIENCE_MS);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(new TimedOut()), PATIENCE_MS);
    };
    const response = await fetch(this.#base + path, {
      method: "GET",
      headers: { [header]: secret, accept: "application/json" },
      redirect: "manual",
      signal: abort.signal,
      ...this.#client === undefined ? {} : { client: this.#client },
    }).finally(() => clearTimeout(timer));
    const { status, headers, body } = response;
    const drop = async () => await body?.cancel();
    if (status === 401 || status === 403) {
      await drop();
      throw new SourceUnusable(
        `${this.host}: HTTP ${status}: what ${secretOption} holds does not open it`,
      );
    }
    if (status >= 300 && status < 400) {
      await drop();
      throw new SourceUnusable(`${this.host}: answers with a redirect, which is not followed`);
    }
    const pieces = body === null ? nothing<Uint8Array>() : bounded(body, most, again, () => {
      clearTimeout(timer);
    });
    return { status, retryAfterMs: retryAfter(headers), pieces, drop };
  }
}

class TimedOut extends Error {
  override message = "no answer in time";
}

class TooLong extends Error {
  override message = "an answer is longer than anything that moves in";
}

function problemOf(error: Error): string {
  return error instanceof TimedOut || error instanceof TooLong
    ? error.message
    : fetchProblem(error);
}

/**
 * A body's pieces up to `most` bytes. `waits` is called before each, `ends` behind the last. Throws
 * TooLong.
 */
async function* bounded(
  body: ReadableStream<Uint8Array>,
  most: number,
  waits: () => void,
  ends: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  let length = 0;
  try {
    waits();
    for await (const piece of body) {
      length += piece.byteLength;
      if (length > most) throw new TooLong();
      // The reader may take long: no timer runs meanwhile.
      ends();
      yield piece;
      waits();
    }
  } finally {
    ends();
  }
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const utf8 = new TextDecoder();
  let text = "";
  for await (const piece of pieces) text += utf8.decode(piece, { stream: true });
  return text + utf8.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In seconds; a date is not worth reading here. */
function retryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}

async function* nothing<T>(): AsyncGenerator<T, void, void> {}
