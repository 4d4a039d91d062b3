import { type FailureCode, failureCodes } from "./failure-codes.ts";

/** The one error that is meant for a caller. `message` is public and never holds a secret; `details` go out as `Errors`. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly details: readonly string[];

  constructor(
    code: FailureCode,
    options: { message?: string; details?: readonly string[]; cause?: unknown } = {},
  ) {
    super(options.message ?? failureCodes[code].message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
  }
}

/** A Failure as plain data, so that it can cross a thread. */
export interface FailureData {
  code: FailureCode;
  message: string;
  details: readonly string[];
}

/** The data of a Failure; anything else becomes `internal` with its text kept out. */
export function toFailureData(error: unknown): FailureData {
  if (error instanceof Failure) {
    return { code: error.code, message: error.message, details: error.details };
  }
  return { code: "internal", message: failureCodes.internal.message, details: [] };
}

/** The Failure that `data` describes. */
export function fromFailureData(data: FailureData, cause?: unknown): Failure {
  return new Failure(data.code, { message: data.message, details: data.details, cause });
}
