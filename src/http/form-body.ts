import { Failure } from "../kernel/failure.ts";
import { decodeUtf8 } from "./utf8.ts";

/** Forms of ours are a handful of short values; reading a long one costs more than sending it. */
const LONGEST_FORM = 16 * 1024;

/**
 * Parses a body as application/x-www-form-urlencoded. A parameter without a value counts as absent, one that
 * comes twice is refused (RFC 6749, 3.2). Throws `invalid_input`, or `malformed_body` for what is no UTF-8.
 */
export function parseFormBody(bytes: Uint8Array, contentType: string): Record<string, string> {
  const [type = ""] = contentType.split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw refused("Content-Type: expected application/x-www-form-urlencoded");
  }
  if (bytes.length > LONGEST_FORM) throw refused(`body: expected at most ${LONGEST_FORM} bytes`);
  const names = new Set<string>();
  const values: [string, string][] = [];
  for (const [name, value] of new URLSearchParams(decodeUtf8(bytes))) {
    if (names.has(name)) {
      throw refused(`${name.slice(0, 100).toWellFormed()}: must not come more than once`);
    }
    names.add(name);
    if (value !== "") values.push([name, value]);
  }
  return Object.fromEntries(values);
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
