import type { AnyCall } from "./mount.ts";

/**
 * The revisions that the call's `If-Match` names (RFC 9110, 13.1.1), without their quotes; null where any will do.
 * A weak tag matches nothing, since it may stand for another state.
 */
export function ifMatchOf(call: Pick<AnyCall, "headers">): string[] | null {
  const header = call.headers.get("if-match");
  if (header === null || header.trim() === "*") return null;
  const tags = header.split(",").map((tag) => /^\s*"([\x21\x23-\x7e]*)"\s*$/.exec(tag)?.[1]);
  return tags.filter((tag) => tag !== undefined);
}
