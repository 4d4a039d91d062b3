import type { ReceivedHeaders } from "../calls/received.ts";
import { Failure } from "../kernel/failure.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";

/** What a body says that it is; empty where it says nothing. Throws `invalid_input` for more than any type needs. */
export function contentTypeOf(headers: ReceivedHeaders): string {
  const header = headers.get("content-type") ?? "";
  if (header.length <= LONGEST_HEADER) return header;
  const message = `Content-Type: expected at most ${LONGEST_HEADER} characters`;
  throw new Failure("invalid_input", { message, details: [message] });
}
