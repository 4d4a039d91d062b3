import type { Principal } from "../calls/principal.ts";
import type { Failure } from "../kernel/failure.ts";
import type { CallDurations } from "../kernel/metrics/call-durations.ts";
import { isoNow, type Log } from "../kernel/log.ts";
import { currentTraceId, describeCall } from "../kernel/tracing.ts";
import type { RequestIds } from "./request-id.ts";

/**
 * One line for each request. It holds ids, the path's pattern and times, never a path's values, a
 * header or a body. Lines of requests are by far the most, so they are put together here, in the
 * form of all others.
 */
export class AccessLog {
  readonly #log: Log;
  readonly #on: boolean;
  readonly #calls: CallDurations | undefined;

  /** `calls`: where each call is counted too, by the same pattern; undefined: nowhere. */
  constructor(log: Log, calls?: CallDurations) {
    this.#log = log;
    this.#calls = calls;
    this.#on = log.on("info");
  }

  /**
   * `started` as performance.now() gave it. An unforeseen error is logged with its stack, under the
   * same ids.
   */
  request(
    method: string,
    path: string,
    status: number,
    started: number,
    { request_id, caller_request_id }: Pick<RequestIds, "request_id" | "caller_request_id">,
    caller: Caller = NO_CALLER,
    failure?: Failure,
  ): void {
    const { user_id: principal, token_id: token } = caller;
    const session = caller.session?.id ?? "";
    const ms = Math.round((performance.now() - started) * 1000) / 1000;
    this.#calls?.add(method, path, status, ms);
    describeCall(method, path, status, failure?.code);
    const trace_id = currentTraceId();
    if (failure && failure.cause !== undefined) {
      const own = caller_request_id === "" ? {} : { caller_request_id };
      const line = {
        request_id,
        ...own,
        trace_id,
        method,
        path,
        status,
        ms,
        principal,
        token,
        session,
      };
      const { code: error, cause } = failure;
      this.#log.line("error", "request failed", { ...line, error, trace: traceOf(cause) });
    } else if (this.#on) {
      const error = failure ? `,"error":"${failure.code}"` : "";
      // Quoting is needed for the method alone: the other texts are ours, or were checked to be
      // plain.
      this.#log.raw(
        `{"level":"info","time":"${isoNow()}","request_id":"${request_id}"` +
          (caller_request_id === "" ? "" : `,"caller_request_id":"${caller_request_id}"`) +
          (trace_id === undefined ? "" : `,"trace_id":"${trace_id}"`) +
          `,"method":${
            JSON.stringify(method.slice(0, LONGEST_METHOD))
          },"path":"${path}","status":${status},"ms":${ms}` +
          `,"principal":"${principal}","token":"${token}","session":"${session}"` +
          `${error},"msg":"request"}\n`,
      );
    }
  }
}

/** The ids of a caller in a line: those of the audit log. */
type Caller = Pick<Principal, "user_id" | "token_id" | "session">;

const NO_CALLER: Caller = { user_id: "", token_id: "" };

/** A client may send any word as its method. */
const LONGEST_METHOD = 16;

/** The stack alone: a driver's error may carry values of columns in its other members. */
function traceOf(cause: unknown): string {
  return cause instanceof Error ? cause.stack ?? cause.message : "unknown";
}
