import { sha256 } from "../kernel/sha256.ts";

/**
 * A hash of what was parsed, which JSON can carry: the same for equal values, in whatever order
 * members came and whatever stood between them.
 */
export function callFingerprint(parsed: unknown): string {
  return sha256(JSON.stringify(parsed, inOrder) ?? "");
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
