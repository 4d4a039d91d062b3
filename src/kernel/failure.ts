import { type FailureCode, failureCodes } from "./failure-codes.ts";
import { PlainFailure } from "./failure-plain.ts";

/**
 * The one error that is meant for a caller. `message` is public and never holds a secret; `details`
 * go out as `Errors`.
 */
export class Failure extends PlainFailure {
  /** When it is worth trying again; undefined where the code alone says it. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: FailureCode,
    options: {
      message?: string;
      details?: readonly string[];
      retryAfterSeconds?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(code, { ...options, message: options.message ?? failureCodes[code].message });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A Failure as plain data, so that it can cross a thread. */
export interface FailureData {
  code: FailureCode;
  message: string;
  details: readonly string[];
  retryAfterSeconds?: number | undefined;
}

/** The data of a Failure; anything else becomes `internal` with its text kept out. */
export function toFailureData(error: unknown): FailureData {
  if (error instanceof Failure) {
    const { code, message, details, retryAfterSeconds } = error;
    return { code, message, details, retryAfterSeconds };
  }
  return { code: "internal", message: failureCodes.internal.message, details: [] };
}

/** The Failure that `data` describes. */
export function fromFailureData(data: FailureData, cause?: unknown): Failure {
  const { code, ...rest } = data;
  return new Failure(code, { ...rest, cause });
}
