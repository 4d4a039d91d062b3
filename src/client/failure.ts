import type { FailureCode } from "./operations.ts";

/**
 * A call that the server answered with a failure, whichever shape the interface gives it. `message`
 * is meant for people.
 */
export class Failure extends Error {
  override readonly name: string = "Failure";
  readonly status: number;
  /** Out of the closed table of docs/errors.md; `unknown` where something in between answered. */
  readonly code: FailureCode | "unknown" | (string & Record<never, never>);
  /** The general meaning of the code. */
  readonly title: string;
  /** One sentence for each problem, where there are several or a place to name. */
  readonly errors: readonly string[];
  /**
   * Under which the server's log and audit log tell more: its own id of the call, else the
   * `X-Request-Id` of the answer.
   */
  readonly requestId: string | undefined;
  /** When another try is worth it; undefined: the server did not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    data: {
      status: number;
      code: string;
      title: string;
      message: string;
      errors: readonly string[];
      requestId: string | undefined;
    },
    headers: Headers,
  ) {
    super(data.message);
    this.status = data.status;
    this.code = data.code;
    this.title = data.title;
    this.errors = data.errors;
    this.requestId = data.requestId ?? headers.get("x-request-id") ?? undefined;
    const seconds = Number(headers.get("retry-after") ?? undefined);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  }
}

/** A failed answer: an envelope, a problem under `/v1`, RFC 6749's under `/oauth`. */
interface FailedAnswer {
  Message?: string;
  Errors?: string[];
  title?: string;
  detail?: string;
  code?: string;
  errors?: string[];
  request_id?: string;
  error_description?: string;
}

/** The failure that a response tells of. Never throws: `unknown` for any other shape. */
export async function readFailure(response: Response): Promise<Failure> {
  const { status, headers } = response;
  const answer = parsed(await response.text().catch(() => ""));
  const message = answer.detail ?? answer.Message ?? answer.error_description ?? `HTTP ${status}`;
  return new Failure({
    status,
    code: headers.get("x-keydesk-error") ?? answer.code ?? "unknown",
    title: answer.title ?? message,
    message,
    errors: answer.errors ?? answer.Errors ?? [],
    requestId: answer.request_id,
  }, headers);
}

function parsed(text: string): FailedAnswer {
  try {
    const value: unknown = JSON.parse(text);
    // as: every member is looked at as if it might be absent.
    return typeof value === "object" && value !== null ? value as FailedAnswer : {};
  } catch {
    return {};
  }
}
