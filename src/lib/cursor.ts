import { Buffer } from "node:buffer";
import { Failure } from "./failure.ts";

/** The place after which the next page of a list starts, as opaque text. `parts`: what the list sorts by. */
export function writeCursor(list: string, parts: readonly string[]): string {
  return Buffer.from(JSON.stringify([list, ...parts])).toString("base64url");
}

/** The parts of a cursor of this list, `count` of them. Throws `invalid_input` for anything else. */
export function readCursor(list: string, text: string, count: number): string[] {
  try {
    const [of, ...parts]: unknown[] = JSON.parse(Buffer.from(text, "base64url").toString());
    if (of === list && parts.length === count && parts.every(isPart)) return parts;
  } catch {
    // Said below.
  }
  const message = "cursor: expected the next_cursor of the same list";
  throw new Failure("invalid_input", { message, details: [message] });
}

function isPart(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}
