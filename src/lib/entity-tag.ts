import { Failure } from "./failure.ts";
import { sha256 } from "./sha256.ts";

/** A strong entity tag (RFC 9110, 8.8.3) of what JSON can carry: equal values have equal tags. */
export function entityTag(value: unknown): string {
  return `"${sha256(JSON.stringify(value)).slice(0, 32)}"`;
}

/**
 * Throws `precondition_failed` unless `ifMatch`, an If-Match header's value (RFC 9110, 13.1.1), names `tag`; null:
 * nothing was asked. Called inside the transaction that changes what the tag stands for.
 */
export function requireMatch(ifMatch: string | null, tag: string): void {
  if (ifMatch === null || ifMatch.trim() === "*") return;
  const named = ifMatch.split(",").map((one) => one.trim());
  if (!named.includes(tag)) throw new Failure("precondition_failed");
}
