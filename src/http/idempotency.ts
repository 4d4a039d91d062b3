import { createHash } from "node:crypto";
import type { Idempotency } from "../calls/principal.ts";
import { Failure } from "../kernel/failure.ts";
import type { AnyCall } from "./call.ts";

/**
 * The call's `Idempotency-Key` and a fingerprint of method, path and body; null without one. A slash at the
 * path's end makes no other path. Throws `idempotency_key_invalid`.
 */
export function idempotencyOf(call: AnyCall): Idempotency {
  const key = call.headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x20-\x7e]{16,255}$/.test(key)) throw new Failure("idempotency_key_invalid");
  const hash = createHash("sha256").update(`${call.method} ${call.path.replace(/\/$/, "")}\n`)
    .update(call.rawBody);
  return { key, fingerprint: hash.digest("hex") };
}
