import { Failure } from "../kernel/failure.ts";
import { LONGEST_QUERY } from "../kernel/input-limits.ts";

/** The query of a URL as received, without its question mark; "" where there is none. */
export function queryText(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark + 1);
}

/**
 * The parameters of a URL's query by their names; of one that comes more than once the first
 * counts, and `twice` gets its name. An invalid percent-encoding is taken as it is. Throws
 * `invalid_input` for a query that is too long, which is not looked at.
 */
export function queryOf(url: string, twice?: string[]): Record<string, string> {
  // No one inherits from it, so that no name means anything but a parameter.
  const parameters: Record<string, string> = Object.create(null);
  const text = queryText(url);
  if (text === "") return parameters;
  if (text.length > LONGEST_QUERY) {
    throw refused(`query: expected at most ${LONGEST_QUERY} characters`);
  }
  // Its iterator costs twice as much.
  new URLSearchParams(text).forEach((value, name) => {
    if (parameters[name] === undefined) parameters[name] = value;
    else twice?.push(name);
  });
  return parameters;
}

/**
 * Throws `invalid_input` where a parameter that counts holds a NUL, which not every engine takes.
 * `query`: what is left of the URL's query by the contract.
 */
export function refuseNul(url: string, query: unknown): void {
  if (!url.includes("%00")) return;
  for (const [name, value] of Object.entries(Object(query))) {
    if (typeof value === "string" && value.includes("\0")) {
      throw refused(`${name}: must not hold NUL`);
    }
  }
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
