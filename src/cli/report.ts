import { Failure as RefusedCall } from "../client/failure.ts";
import { ConfigInvalid } from "../config.ts";
import { Failure } from "../kernel/failure.ts";
import { SchemaTooNew, SchemaTooOld } from "../storage/schema-errors.ts";
import { StoreIncomplete } from "../store-files.ts";
import { OperatorError, reasonOf } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/** Exit codes that scripts can rely on. */
const exitCodes = { ok: 0, failed: 1, usage: 2, config: 78 } as const;

/**
 * Says what went wrong on standard error, without a stack where the operator can do something about
 * it. Gives the exit code.
 */
export function report(error: unknown): number {
  if (isUsageError(error)) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof ConfigInvalid) {
    terminal().err(["keydesk: unusable settings", ...error.message.split("\n")].join("\n  "));
    return exitCodes.config;
  }
  const text = textFor(error);
  if (text === undefined) terminal().err("keydesk: this should not have happened:", error);
  else terminal().err(`keydesk: ${text}`);
  if (error instanceof StoreIncomplete) return exitCodes.config;
  return error instanceof OperatorError ? error.exitCode ?? exitCodes.failed : exitCodes.failed;
}

/** The parser's own errors, known by their code so that the parser need not be loaded to ask. */
function isUsageError(error: unknown): error is Error & { exitCode: number } {
  return error instanceof Error && "exitCode" in error && "code" in error &&
    String(error.code).startsWith("commander.");
}

/** The message to the operator; undefined for a bug in this program. */
function textFor(error: unknown): string | undefined {
  const isKnown = [OperatorError, SchemaTooNew, SchemaTooOld, StoreIncomplete].some((kind) =>
    error instanceof kind
  );
  if (isKnown && error instanceof Error) return error.message;
  if (error instanceof RefusedCall) return refusalText(error);
  if (!(error instanceof Failure) || error.code === "internal") return undefined;
  if (error.code === "unavailable") {
    return `the store does not answer: ${reasonOf(error) ?? "it is busy"}`;
  }
  if (error.code === "store_damaged") {
    return `the store is damaged: ${reasonOf(error) ?? error.message}; keydesk check says more`;
  }
  return [...new Set([error.message, ...error.details])].join("\n");
}

/**
 * The refusal as one sentence with its code; no control character of a server reaches the terminal.
 */
export function refusalText({ message, errors, code }: RefusedCall): string {
  const reasons = [...new Set([message, ...errors])].join("; ").replace(/\.$/, "");
  return `${reasons} (${code})`.replaceAll(/\p{C}/gu, "\ufffd");
}
