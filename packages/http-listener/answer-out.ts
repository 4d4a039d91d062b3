import { Buffer } from "node:buffer";
import { wholeBodyOf } from "./written-response.ts";
import { answerHead, declaredLength, type Ending } from "./answer-head.ts";
import type { PiecesOut } from "./pieces-out.ts";

interface Answering {
  readonly method: string;
  readonly minor: 0 | 1;
  /** False: this is the connection's last answer. */
  readonly persists: boolean;
}

/** An answer that could not be made to its end, for this cause: its client sees it break off. */
export class AnswerBroken extends Error {
  constructor(cause: unknown) {
    super("the answer broke off", { cause });
  }
}

/** Hears how far writing goes. */
interface Writing {
  /** Before each step: what was handed over before has gone. */
  begin(): void;
  /** All has gone, until more is there. */
  end(): void;
}

/** Room before the first bytes of a body, in which its head mostly fits: so both leave at once. */
const HEAD_ROOM = 2048;
/** Bytes around a chunk: its size and two line ends. */
const CHUNK_ROOM = 16;

/** Writes answers to one connection: each as fast as its client takes it, and no faster. */
export class AnswerOut {
  readonly #stream: Pick<Deno.Conn, "write">;
  readonly #pieces: PiecesOut;
  readonly #writing: Writing;

  constructor(stream: Pick<Deno.Conn, "write">, pieces: PiecesOut, writing: Writing) {
    this.#stream = stream;
    this.#pieces = pieces;
    this.#writing = writing;
  }

  /**
   * Sends a response. Gives whether the connection persists. Throws where the client left, and
   * AnswerBroken.
   */
  async send(response: Response, { method, minor, persists }: Answering): Promise<boolean> {
    const { status } = response;
    if (method === "HEAD" || status === 204 || status === 304) {
      await response.body?.cancel();
      return await this.#sendHead(response, minor, "bodiless", persists);
    }
    const whole = wholeBodyOf(response);
    if (typeof whole === "string") return await this.#sendText(response, whole, minor, persists);
    if (whole) return await this.#sendBytes(response, whole, minor, persists);
    const { body } = response;
    if (body === null) return await this.#sendHead(response, minor, 0, persists);
    const ending = declaredLength(response) ?? (minor === 1 ? "chunked" : "close");
    return await this.#sendStream(response, body, minor, ending, persists);
  }

  /** Sends 100 Continue before the response. */
  async continue(): Promise<void> {
    await this.#write(CONTINUE);
  }

  async #sendHead(
    response: Response,
    minor: 0 | 1,
    ending: Ending,
    isKept: boolean,
  ): Promise<boolean> {
    const { text, persists } = answerHead(response, minor, ending, isKept);
    const piece = this.#pieces.take(HEAD_ROOM);
    try {
      await this.#writeBehind(text, piece, 0);
    } finally {
      this.#pieces.give(piece);
    }
    return persists;
  }

  async #sendText(
    response: Response,
    body: string,
    minor: 0 | 1,
    isKept: boolean,
  ): Promise<boolean> {
    const piece = this.#pieces.take(HEAD_ROOM + body.length);
    let at: number;
    let persists: boolean;
    try {
      const first = encodeSome(body, 0, piece.subarray(HEAD_ROOM));
      const length = first.read === body.length ? first.written : Buffer.byteLength(body);
      const head = answerHead(response, minor, length, isKept);
      persists = head.persists;
      await this.#writeBehind(head.text, piece, first.written);
      at = first.read;
    } finally {
      this.#pieces.give(piece);
    }
    while (at < body.length) at += await this.#writeText(body, at);
    return persists;
  }

  async #writeText(body: string, from: number): Promise<number> {
    const piece = this.#pieces.take(body.length - from);
    try {
      const { read, written } = encodeSome(body, from, piece);
      await this.#write(piece.subarray(0, written));
      return read;
    } finally {
      this.#pieces.give(piece);
    }
  }

  async #sendBytes(
    response: Response,
    body: Uint8Array,
    minor: 0 | 1,
    isKept: boolean,
  ): Promise<boolean> {
    const { text, persists } = answerHead(response, minor, body.length, isKept);
    const piece = this.#pieces.take(HEAD_ROOM + body.length);
    let copied: number;
    try {
      copied = Math.min(body.length, piece.length - HEAD_ROOM);
      piece.set(copied < body.length ? body.subarray(0, copied) : body, HEAD_ROOM);
      await this.#writeBehind(text, piece, copied);
    } finally {
      this.#pieces.give(piece);
    }
    // From where they lie: the same bytes may go to thousands.
    if (copied < body.length) await this.#write(body.subarray(copied));
    return persists;
  }

  async #sendStream(
    response: Response,
    body: ReadableStream<Uint8Array>,
    minor: 0 | 1,
    ending: Ending,
    isKept: boolean,
  ): Promise<boolean> {
    const { text, persists } = answerHead(response, minor, ending, isKept);
    const isChunked = ending === "chunked";
    let head = text;
    let sent = 0;
    // If writing fails, the source of the parts is stopped.
    for await (const part of partsOf(body)) {
      for (let at = 0; at < part.length;) {
        at += await this.#writePart(head, part, at, isChunked);
        head = "";
      }
      sent += part.length;
      if (typeof ending === "number" && sent > ending) throw new AnswerBroken(WRONG_LENGTH);
    }
    if (typeof ending === "number" && sent !== ending) throw new AnswerBroken(WRONG_LENGTH);
    if (head !== "" || isChunked) {
      await this.#write(bytesOf(isChunked ? `${head}0\r\n\r\n` : head));
    }
    return persists;
  }

  /** Writes of a part what has room; how much that was. */
  async #writePart(
    head: string,
    part: Uint8Array,
    from: number,
    isChunked: boolean,
  ): Promise<number> {
    const piece = this.#pieces.take(HEAD_ROOM + part.length - from + CHUNK_ROOM);
    try {
      const length = Math.min(part.length - from, piece.length - HEAD_ROOM - CHUNK_ROOM);
      piece.set(part.subarray(from, from + length), HEAD_ROOM);
      if (isChunked) piece.set(LINE_END, HEAD_ROOM + length);
      const before = isChunked ? `${head}${length.toString(16)}\r\n` : head;
      await this.#writeBehind(before, piece, isChunked ? length + LINE_END.length : length);
      return length;
    } finally {
      this.#pieces.give(piece);
    }
  }

  /** Writes this text, and behind it the bytes in the piece, at once where that can be. */
  async #writeBehind(text: string, piece: Uint8Array, length: number): Promise<void> {
    const start = Math.max(0, HEAD_ROOM - text.length);
    const { read } = ENCODER.encodeInto(text, piece.subarray(start, HEAD_ROOM));
    // Too long, or of more than ASCII, which would be longer so.
    if (read < text.length) {
      await this.#write(bytesOf(text));
      return await this.#write(piece.subarray(HEAD_ROOM, HEAD_ROOM + length));
    }
    await this.#write(piece.subarray(start, HEAD_ROOM + length));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      this.#writing.begin();
      at += await this.#stream.write(at === 0 ? bytes : bytes.subarray(at));
    }
    this.#writing.end();
  }
}

/** A text of Latin 1 as bytes. UTF-8, the same for ASCII, is encoded several times as fast. */
function bytesOf(text: string): Uint8Array {
  const bytes = ENCODER.encode(text);
  return bytes.length === text.length ? bytes : Buffer.from(text, "latin1");
}

/** The parts of a body. Throws AnswerBroken where the next one can't be made. */
async function* partsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body;
  } catch (error) {
    throw new AnswerBroken(error);
  }
}

/** Encodes what has room of a text from there on. No pair of surrogates is torn. */
function encodeSome(text: string, from: number, into: Uint8Array) {
  let end = Math.min(text.length, from + into.length);
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
  const some = from === 0 && end === text.length ? text : text.slice(from, end);
  return ENCODER.encodeInto(some, into);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const WRONG_LENGTH = new Error("it is not as long as it says");
const ENCODER = new TextEncoder();
const LINE_END = ENCODER.encode("\r\n");
const CONTINUE = ENCODER.encode("HTTP/1.1 100 Continue\r\n\r\n");
