import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { Failure } from "../kernel/failure.ts";

/** How much of a body is taken, and for how long it is waited for. */
interface BodyLimits {
  bytes: number;
  timeoutMs: number;
}

/**
 * How often the bodies under way are looked at. Their time is counted in such ticks: asking a clock
 * costs more.
 */
const TICK_MS = 250;

/**
 * Reads request bodies to their end, within limits. One timer serves all bodies under way: the
 * runtime has no read timeout of its own, and a half-sent body must hold neither a slot nor the
 * shutdown.
 */
export class BodyReader {
  readonly #limits: BodyLimits;
  readonly #underWay = new Set<{ ticksLeft: number; reject(failure: Failure): void }>();
  /** The tick that is under way counts as none. */
  readonly #ticks: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
    this.#ticks = Math.ceil(limits.timeoutMs / TICK_MS) + 1;
  }

  /**
   * The whole body, of `limit` bytes at the most; at once if it has come already. Throws
   * `body_too_large` or `body_timeout`; what a vanished client leaves is an error too.
   */
  read(
    request: ReceivedRequest,
    limit = this.#limits.bytes,
  ): Uint8Array | Promise<Uint8Array> {
    const declared = request.headers.get("content-length");
    if (declared === null) {
      const { body } = request;
      return body === null ? new Uint8Array() : this.#withDeadline(readCounting(body, limit));
    }
    if (Number(declared) > limit) throw tooLarge(limit);
    // `request.body` is not looked at: it would make a stream of bytes that mostly are there
    // already.
    const bytes = request.bytes();
    return bytes instanceof Promise ? this.#withDeadline(bytes) : bytes;
  }

  /** Gives up on every body under way: at shutdown, no one waits for the other half. */
  abandonAll(): void {
    for (const pending of this.#underWay) pending.reject(new Failure("unavailable"));
    this.#underWay.clear();
  }

  #withDeadline(reading: Promise<Uint8Array>): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const pending = { ticksLeft: this.#ticks, reject };
      this.#underWay.add(pending);
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
      reading.then((bytes) => {
        this.#underWay.delete(pending);
        resolve(bytes);
      }, (error) => {
        this.#underWay.delete(pending);
        // Whatever else goes wrong here is a client that left or broke off: nothing for the log to
        // trace.
        reject(
          error instanceof Failure ? error : new Failure("malformed_body", {
            details: ["body: ended before its end was reached"],
          }),
        );
      });
    });
  }

  #tick(): void {
    for (const pending of this.#underWay) {
      if (--pending.ticksLeft > 0) continue;
      this.#underWay.delete(pending);
      pending.reject(new Failure("body_timeout"));
    }
    if (this.#underWay.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}

async function readCounting(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > limit) throw tooLarge(limit);
    parts.push(part);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function tooLarge(limit: number): Failure {
  return new Failure("body_too_large", {
    message: `The request body is larger than ${limit} bytes.`,
  });
}
