import { LONGEST_HEADER } from "../kernel/input-limits.ts";
import type { AnyCall } from "./call.ts";

/**
 * The revisions that the call's `If-Match` names (RFC 9110, 13.1.1), without their quotes; null where any will do.
 * A weak tag matches nothing, since it may stand for another state; no more does a header that is too long.
 */
export function ifMatchOf(call: Pick<AnyCall, "headers">): string[] | null {
  const header = call.headers.get("if-match");
  if (header === null) return null;
  if (header.length > LONGEST_HEADER) return [];
  if (header.trim() === "*") return null;
  const tags = header.split(",").map((tag) => /^\s*"([\x21\x23-\x7e]*)"\s*$/.exec(tag)?.[1]);
  return tags.filter((tag) => tag !== undefined);
}

/**
 * Whether an `If-None-Match` header holds this tag, or is `*` (RFC 9110, 13.1.2): who asks has the bytes already. One that
 * is too long holds none.
 */
export function ifNoneMatchHas(header: string | null, tag: string): boolean {
  if (header === null || header.length > LONGEST_HEADER) return false;
  const tags = header.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.includes(tag) || tags.includes("*");
}
