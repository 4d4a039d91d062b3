import { Failure } from "./failure.ts";

/** Bytes that the members which Keydesk does not know may have together, as JSON text. */
const MOST_BYTES = 64 * 1024;

/**
 * Throws `invalid_input` where what `whole` holds beyond `known` is more than 64 KiB of JSON text.
 * `place`: what the message calls the object.
 */
export function refuseTooMuchUnknown(place: string, whole: object, known: object): void {
  if (bytesOf(whole) - bytesOf(known) <= MOST_BYTES) return;
  const message = `${place}: expected at most 64 KiB of members beyond those that are known`;
  throw new Failure("invalid_input", { message, details: [message] });
}

function bytesOf(object: object): number {
  return new TextEncoder().encode(JSON.stringify(object)).length;
}
