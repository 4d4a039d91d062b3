import type { FailureCode } from "./failure-codes.ts";

/**
 * A failure as it reaches a caller, complete with its status: the table of codes is too large for a
 * browser to load.
 */
export class PlainFailure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly details: readonly string[];

  constructor(
    code: FailureCode,
    options: { message: string; details?: readonly string[] | undefined; cause?: unknown },
  ) {
    super(options.message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? [];
  }
}
