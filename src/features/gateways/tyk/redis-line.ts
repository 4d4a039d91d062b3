import { Buffer } from "node:buffer";
import type { Socket } from "node:net";

/** An answer is awaited for so long, and a further question. */
const SILENT_MS = 2000;
/** A longer answer is none of a Redis that keeps sessions. */
const LONGEST_ANSWER = 1024 * 1024;

/** Thrown where a Redis refuses a command; its code alone, since its words may repeat a name. */
export class RedisRefused extends Error {}

/** Thrown where a Redis does not answer, or in another way than one does. */
export class RedisAway extends Error {}

interface Waiting {
  resolve(answer: string | null): void;
  reject(error: Error): void;
}

/**
 * A connection to a Redis, over which commands are answered in their order. One that nothing is
 * asked over ends by itself.
 */
export class RedisLine {
  readonly #waiting: Waiting[] = [];
  #unread = Buffer.alloc(0);
  #over: RedisAway | undefined;
  #timer = this.#awaits();

  constructor(private readonly socket: Socket) {
    socket.on("data", (piece: Uint8Array) => this.#read(piece));
    socket.on("error", () => this.#end("the connection broke"));
    socket.on("close", () => this.#end("it ended the connection"));
  }

  /** True: nothing is answered over it any more. */
  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Sends a command and gives its answer; null: none. Throws RedisRefused or RedisAway. */
  ask(...words: readonly string[]): Promise<string | null> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#over);
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1) this.#again();
      const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
      this.socket.write(`*${words.length}\r\n${parts.join("")}`);
    });
  }

  /** Ends it. Later commands have no answer. */
  close(): void {
    this.#end("it was closed");
  }

  #read(piece: Uint8Array): void {
    this.#unread = Buffer.concat([this.#unread, piece]);
    for (let length = this.#settle(); length > 0; length = this.#settle()) {
      this.#unread = this.#unread.subarray(length);
      this.#again();
    }
    if (this.#unread.length > LONGEST_ANSWER) this.#end("its answer is too long");
  }

  #again(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#awaits();
  }

  #awaits() {
    return setTimeout(() => this.#end("no answer in time"), SILENT_MS);
  }

  /** Settles the oldest question by the first answer; gives its bytes, 0: it is not whole. */
  #settle(): number {
    const end = this.#unread.indexOf("\r\n");
    if (end < 0) return 0;
    const kind = this.#unread.toString("latin1", 0, 1);
    const text = this.#unread.toString("utf8", 1, end);
    const length = end + 2;
    if (kind === "$" && text !== "-1") {
      const whole = length + Number(text) + 2;
      if (this.#unread.length < whole) return 0;
      this.#waiting.shift()?.resolve(this.#unread.toString("utf8", length, whole - 2));
      return whole;
    }
    const asked = this.#waiting.shift();
    if (kind === "-") asked?.reject(new RedisRefused(/^[A-Z]+/.exec(text)?.[0] ?? "ERR"));
    else if (["+", ":", "$"].includes(kind)) asked?.resolve(kind === "$" ? null : text);
    else {
      asked?.reject(new RedisAway("what answers there is no Redis"));
      this.#end("what answers there is no Redis");
    }
    return length;
  }

  #end(why: string): void {
    if (this.#over) return;
    this.#over = new RedisAway(why);
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#over);
    this.socket.destroy();
  }
}
