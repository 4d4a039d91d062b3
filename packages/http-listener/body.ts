import { Buffer } from "node:buffer";
import type { Framing } from "./framing.ts";
import type { Input } from "./input.ts";
import { isField } from "./read-head.ts";

/** How much is read at once of a body whose length nobody told. */
const PIECE = 16 * 1024;
/** Longest line of a chunk's size with its extensions, and longest trailer section, in bytes. */
const LONGEST_SIZE = 256;
const LONGEST_TRAILERS = 8 * 1024;
/** Discarded bytes are written over this buffer. */
const PASSED = new Uint8Array(PIECE);

/** A body that broke off, or is none: nothing behind it can be told from it. */
class BodyBroken extends Error {}

/** A request's body as it comes. It is read once: whole, piece by piece, or passed over. */
export class Body implements AsyncIterable<Uint8Array> {
  readonly #input: Input;
  readonly #isChunked: boolean;
  readonly #goAhead: (() => Promise<void>) | undefined;
  /** Bytes that are still to come, of the body or of this chunk. */
  #left: number;
  #isOver: boolean;
  #asked = false;

  /** `goAhead`: tells a client that waits for it to send the body. */
  constructor(input: Input, framing: Framing, goAhead?: () => Promise<void>) {
    this.#input = input;
    this.#isChunked = framing === "chunked";
    this.#left = framing === "chunked" ? 0 : framing;
    this.#isOver = framing === 0;
    this.#goAhead = goAhead;
  }

  /** True once its end was reached: the next byte belongs to another request. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True where it ends within `limit` bytes, and its client does not wait to be asked for it. */
  isShort(limit: number): boolean {
    const waits = this.#goAhead !== undefined && !this.#asked && this.#input.length === 0;
    return this.#isOver || (!this.#isChunked && this.#left <= limit && !waits);
  }

  /** The whole body where all of it has come with its head, as most do; else undefined. */
  bytesAtHand(): Uint8Array | undefined {
    if (this.#isChunked || this.#input.length < this.#left) return undefined;
    const whole = Buffer.allocUnsafe(this.#left);
    this.#input.takeInto(whole);
    this.#left = 0;
    this.#isOver = true;
    return whole;
  }

  /** The whole body. Throws BodyBroken. The caller has checked its length. */
  async bytes(): Promise<Uint8Array> {
    if (this.#isChunked) return await this.#joined();
    const whole = new Uint8Array(this.#left);
    await this.#ask();
    while (this.#left > 0) await this.#readSome(whole.subarray(whole.length - this.#left));
    return whole;
  }

  /** The body in pieces of 16 KiB, the last one shorter, whatever its chunks. Throws BodyBroken. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    await this.#ask();
    while (await this.#hasMore()) {
      const piece = new Uint8Array(this.#isChunked ? PIECE : Math.min(PIECE, this.#left));
      let filled = await this.#readSome(piece);
      while (filled < piece.length && await this.#hasMore()) {
        filled += await this.#readSome(piece.subarray(filled));
      }
      yield piece.subarray(0, filled);
    }
  }

  /** Reads once of what is left of a body with a length, and keeps nothing. Throws BodyBroken. */
  async pass(): Promise<void> {
    await this.#readSome(PASSED);
  }

  async #joined(): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this) parts.push(part);
    const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  async #ask(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    if (!this.#isOver && this.#input.length === 0) await this.#goAhead?.();
  }

  /**
   * Reads once, no further than the body or this chunk goes; how much. Throws BodyBroken where the
   * client ends before.
   */
  async #readSome(into: Uint8Array): Promise<number> {
    const target = into.length > this.#left ? into.subarray(0, this.#left) : into;
    const count = await this.#input.readInto(target);
    if (count === null) throw new BodyBroken("it breaks off");
    this.#left -= count;
    if (this.#left === 0 && !this.#isChunked) this.#isOver = true;
    return count;
  }

  /** Whether a byte of the body is to come; reads what stands between chunks (RFC 9112, 7.1). */
  async #hasMore(): Promise<boolean> {
    if (this.#isOver) return false;
    if (this.#left > 0) return true;
    if (this.#hasChunk && await this.#line(0) !== "") throw new BodyBroken("a chunk is too long");
    this.#left = sizeOf(await this.#line(LONGEST_SIZE));
    this.#hasChunk = true;
    if (this.#left > 0) return true;
    await this.#passTrailers();
    this.#isOver = true;
    return false;
  }

  /** True behind the first chunk's size: each chunk ends with its own line's end. */
  #hasChunk = false;

  async #passTrailers(): Promise<void> {
    for (let read = 0; read <= LONGEST_TRAILERS;) {
      const line = await this.#line(LONGEST_TRAILERS);
      if (line === "") return;
      if (!isField(line)) throw new BodyBroken("a trailer is no header");
      read += line.length + 2;
    }
    throw new BodyBroken("its trailers are too long");
  }

  /** The next line, of at most so many bytes without its end. */
  async #line(longest: number): Promise<string> {
    while (true) {
      const line = this.#input.takeLine();
      if (line !== undefined && line.length <= longest) return line;
      if (line !== undefined || this.#input.length > longest + 2) {
        throw new BodyBroken("a line of its chunks is too long");
      }
      if (!await this.#input.fill()) throw new BodyBroken("it breaks off");
    }
  }
}

/** The size of a chunk. Extensions mean nothing here. */
function sizeOf(line: string): number {
  const [, size = ""] = SIZE.exec(line) ?? [];
  if (size === "") throw new BodyBroken("the size of a chunk is none");
  return parseInt(size, 16);
}

const SIZE = /^([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;
