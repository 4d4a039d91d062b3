import { Failure } from "../kernel/failure.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A body as text. Throws `malformed_body` for what is no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Failure("malformed_body", { details: ["body: is not valid UTF-8"] });
  }
}
