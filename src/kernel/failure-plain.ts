import type { FailureCode } from "./failure-codes.ts";

/**
 * A failure as it reaches a caller, who is told everything about it: so it needs no table of codes,
 * which is too much for a browser to load.
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
