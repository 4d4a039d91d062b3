import { Buffer } from "node:buffer";
import type { Turns } from "./turns.ts";

/** The buffer of an idle connection: most heads fit, and thousands of connections wait. */
const AT_REST = 4096;
/** The most reads, or heads, that one client gets in a row without waiting. */
const IN_A_ROW = 4;

/** The bytes of a connection that came and were not taken yet. */
export class Input {
  readonly #source: Pick<Deno.Conn, "read">;
  #bytes = Buffer.alloc(AT_REST);
  #start = 0;
  #end = 0;
  /** Up to here the end of a head was looked for in vain. */
  #searched = 0;
  readonly #turns: Turns;
  /** Reads or heads since the input was last empty. */
  #inARow = 0;
  /** A read that was begun before anybody needed what it gives. */
  #ahead: Promise<boolean> | undefined;

  /** `turns`: those of all connections, which one that sends ahead waits for. */
  constructor(source: Pick<Deno.Conn, "read">, turns: Turns) {
    this.#source = source;
    this.#turns = turns;
  }

  /** How many bytes are there. */
  get length(): number {
    return this.#end - this.#start;
  }

  /**
   * Reads while a request is under way, where nothing of the next one is there. False at the end of
   * what the client sends. Whatever is read next waits for it.
   */
  async lookAhead(): Promise<boolean> {
    if (this.length > 0) return true;
    this.#ahead ??= this.#readMore().finally(() => this.#ahead = undefined);
    return await this.#ahead;
  }

  /** Waits for more. False at the end of what the client sends. */
  fill(): Promise<boolean> {
    return this.#ahead ?? this.#readMore();
  }

  async #readMore(): Promise<boolean> {
    this.#makeRoom();
    const room = this.#end === 0 ? this.#bytes : this.#bytes.subarray(this.#end);
    const count = await this.#read(room);
    if (count === null) return false;
    this.#end += count;
    return true;
  }

  /**
   * Waits for the next bytes and puts them into `target`; how many, null at the end of what the
   * client sends.
   */
  async readInto(target: Uint8Array): Promise<number | null> {
    if (this.#ahead) await this.#ahead;
    return this.length === 0 ? await this.#read(target) : this.takeInto(target);
  }

  /** Puts bytes that are there into `target`; how many. */
  takeInto(target: Uint8Array): number {
    const count = Math.min(target.length, this.length);
    this.#bytes.copy(target, 0, this.#start, this.#start + count);
    this.skip(count);
    return count;
  }

  /** The first byte; undefined where there is none. */
  peek(): number | undefined {
    return this.#start < this.#end ? this.#bytes[this.#start] : undefined;
  }

  /** Blank lines before a request are none (RFC 9112, 2.2). */
  skipBlankLines(): void {
    while (
      this.length >= 2 && this.#bytes[this.#start] === CR && this.#bytes[this.#start + 1] === LF
    ) this.skip(2);
  }

  /** Gives a promise to wait for before the next buffered request is taken; undefined: no wait. */
  pause(): Promise<void> | undefined {
    return this.length > 0 && ++this.#inARow >= IN_A_ROW ? this.#nextTurn() : undefined;
  }

  /**
   * The text before the next blank line, as Latin 1; undefined while it has not come. The blank
   * line is taken too. If lines end with LF alone it ends as well, with such a line's end in it,
   * which no head has.
   */
  takeHead(): string | undefined {
    const bytes = this.#bytes;
    const start = this.#start;
    for (let at = Math.max(start + 1, this.#searched); at < this.#end; at++) {
      if (bytes[at] !== LF) continue;
      const isWhole = bytes[at - 1] === CR;
      const before = isWhole ? at - 2 : at - 1;
      if (before < start || bytes[before] !== LF) continue;
      const ends = isWhole && before > start && bytes[before - 1] === CR;
      const text = bytes.toString("latin1", start, ends ? before - 1 : at + 1);
      this.skip(at + 1 - start);
      return text;
    }
    this.#searched = this.#end;
    return undefined;
  }

  /** The line that comes next, without its end; undefined while it has not come whole. */
  takeLine(): string | undefined {
    for (let at = this.#start + 1; at < this.#end; at++) {
      if (this.#bytes[at] !== LF || this.#bytes[at - 1] !== CR) continue;
      const text = this.#bytes.toString("latin1", this.#start, at - 1);
      this.skip(at + 1 - this.#start);
      return text;
    }
    return undefined;
  }

  /** Takes bytes away unseen. */
  skip(count: number): void {
    this.#start += count;
    this.#searched = 0;
    if (this.#start < this.#end) return;
    this.#start = 0;
    this.#end = 0;
    if (this.#bytes.length > AT_REST) this.#bytes = Buffer.alloc(AT_REST);
  }

  async #read(target: Uint8Array): Promise<number | null> {
    if (this.#inARow >= IN_A_ROW) await this.#nextTurn();
    const count = await this.#source.read(target);
    // Less than there was room for: nothing more is there, and the next read waits.
    this.#inARow = count === target.length ? this.#inARow + 1 : 0;
    return count;
  }

  #nextTurn(): Promise<void> {
    this.#inARow = 0;
    return this.#turns.next();
  }

  #makeRoom(): void {
    const { length } = this;
    if (this.#end < this.#bytes.length) return;
    if (this.#start > 0) {
      this.#bytes.copyWithin(0, this.#start, this.#end);
    } else {
      const larger = Buffer.alloc(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#searched = Math.max(0, this.#searched - this.#start);
    this.#start = 0;
    this.#end = length;
  }
}

const CR = 0x0d;
const LF = 0x0a;
