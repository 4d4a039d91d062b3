import { Failure } from "../client/failure.ts";
import { OperatorError } from "./operator-error.ts";
import { refusalText } from "./report.ts";
import { terminal } from "./terminal.ts";

/** Codes with which every further id would be refused too. */
const HOPELESS = [
  "not_authorised",
  "access_denied",
  "too_many_requests",
  "unavailable",
  "store_damaged",
  "unknown",
];

/**
 * Does the same to each id of a kind, one after the other. A refusal is printed on standard error,
 * and then OperatorError is thrown after all others are done: `2 of 3 not approved`.
 */
export async function forEach(
  kind: string,
  ids: readonly string[],
  done: string,
  work: (id: string) => Promise<void>,
): Promise<void> {
  let failed = 0;
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      if (!(error instanceof Failure) || HOPELESS.includes(error.code)) throw error;
      terminal().err(absence(error, kind, id) ?? `${id}: ${refusalText(error)}`);
      failed++;
    }
  }
  if (failed > 0) throw new OperatorError(`${failed} of ${ids.length} not ${done}`);
}

/** Does something to the object of this kind and id. Throws OperatorError where there is none. */
export async function forOne<T>(kind: string, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const absent = error instanceof Failure ? absence(error, kind, id) : undefined;
    throw absent === undefined ? error : new OperatorError(absent, { cause: error });
  }
}

/** The interface says only that there is nothing; at the terminal it is known of what. */
function absence({ code }: Failure, kind: string, id: string): string | undefined {
  if (code !== "not_found" && code !== "not_found_for_deletion") return undefined;
  return `there is no ${kind} ${id} (${code})`;
}
