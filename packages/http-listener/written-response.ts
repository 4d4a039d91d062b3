/** Headers of many answers, as a list and as they are written. */
interface CommonHeaders {
  readonly given: Readonly<Record<string, string>>;
  readonly written: string;
}

/** The names in lower case. */
export function commonHeaders(given: Readonly<Record<string, string>>): CommonHeaders {
  const lines = Object.entries(given).map(([name, value]) => lineOf(name, value));
  return { given, written: lines.join("") };
}

/**
 * The symbol under which a response keeps its original body: asking the response makes a stream.
 */
const WHOLE = Symbol("whole body");

interface Remembering extends Response {
  [WHOLE]?: string | Uint8Array;
}

/**
 * A response whose headers are written as they were given. The runtime's list of them is made only
 * for whoever asks for it: to make it and to read it again costs a short answer more than all else.
 */
export class WrittenResponse extends Response {
  [WHOLE]?: string;
  readonly #common: CommonHeaders;
  readonly #requestId: string;
  #own: Readonly<Record<string, string>>;
  /** Undefined once the list may say otherwise. */
  #written: string | undefined;
  #isListed = false;

  /**
   * `own`: its own headers, which go before the common ones. Throws TypeError where one of them
   * can't be written.
   */
  constructor(
    body: string | null,
    status: number,
    common: CommonHeaders,
    requestId: string,
    own: Readonly<Record<string, string>>,
  ) {
    // Given together with a text, the runtime makes a native copy of the whole answer and registers
    // it for finalization: headers are set afterwards.
    super(body, status === 200 ? undefined : { status });
    if (body !== null) this[WHOLE] = body;
    this.#common = common;
    this.#requestId = requestId;
    this.#own = own;
    this.#written = common.written + lineOf("x-request-id", requestId);
    for (const name in own) this.#write(name, own[name] ?? "");
  }

  override get headers(): Headers {
    const headers = super.headers;
    if (this.#isListed) return headers;
    this.#isListed = true;
    this.#written = undefined;
    setAll(headers, this.#common.given);
    headers.set("x-request-id", this.#requestId);
    setAll(headers, this.#own);
    return headers;
  }

  /** Each header with its line's end; undefined: they are what the list says. */
  get written(): string | undefined {
    return this.#written;
  }

  /** Sets one more. */
  set(name: string, value: string): void {
    if (this.#isListed || name in this.#own) return this.headers.set(name, value);
    this.#own = { ...this.#own, [name]: value };
    this.#write(name, value);
  }

  override clone(): Response {
    void this.headers;
    return super.clone();
  }

  /** A second header of the same name, or one that the runtime has to look at, makes the list. */
  #write(name: string, value: string): void {
    if (this.#isListed) return;
    const isAlone = !(name in this.#common.given) && !NOT_ALONE.has(name) && WRITABLE.test(value);
    if (isAlone) this.#written += lineOf(name, value);
    else void this.headers;
  }
}

/** Sets a header of a response. Of a `WrittenResponse`, no list is made for that. */
export function setHeader(response: Response, name: string, value: string): void {
  if (response instanceof WrittenResponse) response.set(name, value);
  else response.headers.set(name, value);
}

/** They mean something to the connection, or stand there already. */
const NOT_ALONE = new Set(["connection", "content-length", "transfer-encoding", "x-request-id"]);
/** Values that the runtime takes as they are. */
const WRITABLE = /^(?![\t ])[\t\x20-\x7e\x80-\xff]*(?<![\t ])$/;

function lineOf(name: string, value: string): string {
  return `${name}: ${value}\r\n`;
}

function setAll(headers: Headers, given: Readonly<Record<string, string>>): void {
  for (const name in given) headers.set(name, given[name] ?? "");
}

/**
 * A response with this body, which `wholeBodyOf` knows. No copy is made of bytes: thousands may be
 * sent the same.
 */
export function wholeResponse(
  body: string | Uint8Array<ArrayBuffer>,
  init?: ResponseInit,
): Response {
  const sent = typeof body === "string" ? body : streamOf(body);
  const response: Remembering = init === undefined ? new Response(sent) : new Response(sent, init);
  response[WHOLE] = body;
  return response;
}

/** The body that a response was made of; undefined where it has none, or is made while sent. */
export function wholeBodyOf(response: Response): string | Uint8Array | undefined {
  // as: wholeResponse alone knows the member's name.
  return (response as Remembering)[WHOLE];
}

/** For whoever reads the response itself, in process. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      // A stream takes away what it is given.
      controller.enqueue(bytes.slice());
      controller.close();
    },
  }, { highWaterMark: 0 });
}
