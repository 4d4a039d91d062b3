import { Failure } from "./failure.ts";
import { sha256 } from "./sha256.ts";

/**
 * The revision that a strong entity tag (RFC 9110, 8.8.3) names: equal values, as JSON has them,
 * have equal ones.
 */
export function revisionOf(value: unknown): string {
  return sha256(JSON.stringify(value)).slice(0, 32);
}

/**
 * Throws `precondition_failed` unless `wanted`, an If-Match header's revisions, holds this one;
 * null: any will do. Called inside the transaction that changes what the revision represents.
 */
export function requireRevision(wanted: readonly string[] | null, revision: string): void {
  if (wanted !== null && !wanted.includes(revision)) throw new Failure("precondition_failed");
}
