import type { Logger } from "pino";
import type { Failure } from "../lib/failure.ts";

/** One line for each request. It holds ids, the path's pattern and times, never a path's values, a header or a body. */
export class AccessLog {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `started` as performance.now() gave it. What nobody foresaw is logged with its stack, under the same request id. */
  request(
    method: string,
    path: string,
    status: number,
    started: number,
    request_id: string,
    principal = "",
    failure?: Failure,
  ): void {
    const ms = Math.round((performance.now() - started) * 1000) / 1000;
    const line = { request_id, method, path, status, ms, principal };
    if (!failure) this.#log.info(line);
    else if (failure.cause === undefined) this.#log.info({ ...line, error: failure.code });
    else this.#log.error({ ...line, error: failure.code, trace: traceOf(failure.cause) });
  }
}

/** The stack alone: a driver's error may carry values of columns in its other members. */
function traceOf(cause: unknown): string {
  return cause instanceof Error ? cause.stack ?? cause.message : "unknown";
}
