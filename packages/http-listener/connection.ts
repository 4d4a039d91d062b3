import type { Peer, ReceivedRequest } from "./request.ts";
import { BadRequest } from "./bad-request.ts";
import { AnswerBroken, AnswerOut } from "./answer-out.ts";
import { Body } from "./body.ts";
import { type Awaited, type Deadlines, type Timed, waitsOf } from "./deadlines.ts";
import { malformed } from "./framing.ts";
import { Input } from "./input.ts";
import type { PiecesOut } from "./pieces-out.ts";
import type { Placed } from "./places.ts";
import { type Head, LONGEST_HEAD, readHead } from "./read-head.ts";
import type { Turns } from "./turns.ts";

/** State that the connections of one listener share. */
export interface Serving {
  /** Answers a request. */
  handle(request: ReceivedRequest, peer: Peer): Response | Promise<Response>;
  /** The answer to what is no request, or to one that nobody could answer. */
  refuse(error: unknown): Response;
  /** Hears why an answer broke off on its way. */
  broken(cause: unknown): void;
  readonly deadlines: Deadlines<Connection>;
  readonly pieces: PiecesOut;
  readonly turns: Turns;
  /** Hears of each connection's end. */
  closed(connection: Connection): void;
  /** True: each answer from now on is the last of its connection. */
  isEnding: boolean;
}

/**
 * A shorter rest of a body that nobody wants is passed over for the next request; else the
 * connection ends.
 */
const SHORT_REST = 64 * 1024;
/** How long what comes behind an answer is passed over, in milliseconds, while it comes. */
const PASSING_MS = 30_000;
const PASSED = new Uint8Array(64 * 1024);

/**
 * One connection of HTTP/1.1: request after request, each answered before the next is read, so that
 * what a client sends ahead waits in the kernel.
 */
export class Connection implements Placed, Timed<Connection> {
  readonly from: string | undefined;
  readonly waits = waitsOf<Connection>(this);
  readonly #socket: Deno.TcpConn;
  readonly #serving: Serving;
  readonly #peer: Peer;
  readonly #input: Input;
  readonly #out: AnswerOut;
  #isClosed = false;
  /** True before the first request: who connects says something soon. */
  #isNew = true;
  /** True once the time for a head was over: what still comes of it counts for nothing. */
  #isLate = false;
  /** True while nothing of a request has come and none is under way. */
  #isIdle = false;

  constructor(socket: Deno.TcpConn, serving: Serving, from: string | undefined) {
    this.from = from;
    this.#socket = socket;
    this.#serving = serving;
    this.#peer = { remoteAddr: socket.remoteAddr };
    this.#input = new Input(socket, serving.turns);
    this.#out = new AnswerOut(socket, serving.pieces, {
      begin: () => serving.deadlines.begin(this, "taking"),
      end: () => serving.deadlines.end(this, "taking"),
    });
  }

  /** True where it can be closed without taking an answer from anybody. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  /** Serves it to its end, and closes it. Never throws. */
  async run(): Promise<void> {
    try {
      this.#socket.setNoDelay();
      let goesOn = true;
      while (goesOn) goesOn = await this.#serveNext();
    } catch (error) {
      // Else the client left or broke off. There is nothing that could still be said to it.
      if (error instanceof AnswerBroken) this.#serving.broken(error.cause);
    } finally {
      // A client that is being notified of its timeout stays connected until then.
      if (!this.#isLate) this.close();
    }
  }

  /** Ends it at once. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const awaited of ["head", "request", "taking", "leaving"] as const) {
      this.#serving.deadlines.end(this, awaited);
    }
    this.#socket.close();
    this.#serving.closed(this);
  }

  expire(awaited: Awaited): void {
    if (awaited === "head" && this.#input.length > 0) {
      this.#isLate = true;
      const answer = this.#serving.refuse(new BadRequest("head_timeout"));
      void this.#out.send(answer, LAST).catch(() => {}).finally(() => this.close());
    } else {
      this.close();
    }
  }

  /** One request and its answer. False where it was the last. */
  async #serveNext(): Promise<boolean> {
    const pause = this.#input.pause();
    if (pause) await pause;
    let head: Head | undefined;
    try {
      head = this.#headAtHand() ?? await this.#headToCome();
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      // It has come, such as it is: nothing else is to be said of it meanwhile.
      this.#awaitNoHead();
      await this.#out.send(this.#serving.refuse(error), LAST);
      return await this.#leave();
    }
    if (head === undefined) return false;
    const { fields: headers, framing, method, url } = head;
    const body = new Body(
      this.#input,
      framing,
      head.expectsContinue ? () => this.#out.continue() : undefined,
    );
    const request: ReceivedRequest = {
      method,
      url,
      headers,
      body: framing === 0 ? null : body,
      bytes: () => body.bytesAtHand() ?? body.bytes(),
      gone: () => this.#gone(),
    };
    const response = await this.#answer(request);
    const mayPersist = head.persists && !this.#serving.isEnding && body.isShort(SHORT_REST);
    const persists = await this.#out.send(response, {
      method,
      minor: head.minor,
      persists: mayPersist,
    });
    if (!persists) return await this.#leave();
    return body.isOver || await this.#passOver(async () => {
      await body.pass();
      return !body.isOver;
    });
  }

  async #answer(request: ReceivedRequest): Promise<Response> {
    try {
      const answer = this.#serving.handle(request, this.#peer);
      return answer instanceof Promise ? await answer : answer;
    } catch (error) {
      return this.#serving.refuse(error);
    }
  }

  /** Aborted at the end of what the client sends, for as long as it sends nothing more. */
  #gone(): AbortSignal {
    const controller = new AbortController();
    this.#input.lookAhead().then(
      (isMore) => isMore || controller.abort(),
      () => controller.abort(),
    );
    return controller.signal;
  }

  /** The next request's head where it has come already. */
  #headAtHand(): Head | undefined {
    this.#input.skipBlankLines();
    const text = this.#input.takeHead();
    return text === undefined ? undefined : readHead(text);
  }

  /** Waits for it: for its first byte while connections may be idle, then to its deadline. */
  async #headToCome(): Promise<Head | undefined> {
    const { deadlines } = this.#serving;
    let awaited: Awaited = this.#isNew || this.#input.length > 0 ? "head" : "request";
    deadlines.begin(this, awaited);
    while (true) {
      this.#refuseEndless();
      this.#isIdle = this.#input.length === 0;
      if (!await this.#input.fill() || this.#isLate) return undefined;
      this.#isIdle = false;
      const head = this.#headAtHand();
      if (head) {
        deadlines.end(this, awaited);
        this.#isNew = false;
        return head;
      }
      // A byte at a time changes nothing: the deadline is that of the first.
      if (awaited === "request" && this.#input.length > 0) {
        deadlines.end(this, awaited);
        awaited = "head";
        deadlines.begin(this, awaited);
      }
    }
  }

  /** Throws where what has come can't become a head any more. */
  #refuseEndless(): void {
    const first = this.#input.peek();
    // One that is the first half of a blank line's end is still none.
    if (first === undefined || (first === CR && this.#input.length === 1)) return;
    if (!isToken(first)) throw malformed("it begins with no method");
    if (this.#input.length >= LONGEST_HEAD) {
      throw new BadRequest(
        this.#input.takeLine() === undefined ? "target_too_long" : "head_too_large",
      );
    }
  }

  /**
   * Says that nothing more comes, and passes over what the client still sends: closing before it
   * was read would take the last answer from it.
   */
  async #leave(): Promise<false> {
    this.#input.skip(this.#input.length);
    await this.#socket.closeWrite();
    await this.#passOver(async () => await this.#input.readInto(PASSED) !== null);
    return false;
  }

  /**
   * Passes over what still comes, as long as it does. `some`: whether more may come. False where it
   * took too long.
   */
  async #passOver(some: () => Promise<boolean>): Promise<boolean> {
    const { deadlines } = this.#serving;
    const until = performance.now() + PASSING_MS;
    let isMore = true;
    while (isMore && performance.now() < until) {
      deadlines.begin(this, "leaving");
      isMore = await some();
    }
    deadlines.end(this, "leaving");
    return !isMore;
  }

  #awaitNoHead(): void {
    this.#serving.deadlines.end(this, "head");
    this.#serving.deadlines.end(this, "request");
  }
}

const CR = 0x0d;
const LAST = { method: "GET", minor: 1, persists: false } as const;

/** Whether a method may begin so. */
function isToken(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f && !'"(),/:;<=>?@[\\]{}'.includes(String.fromCharCode(byte));
}
