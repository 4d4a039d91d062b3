import type { ReceivedHeaders } from "../calls/received.ts";
import { Buffer } from "node:buffer";
import type { Idempotency } from "../calls/principal.ts";
import { callFingerprint } from "../changes/call-fingerprint.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { Failure } from "../kernel/failure.ts";
import { parseJsonBody } from "./json-body.ts";

/** A call as far as it was read. */
interface ReadCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array;
  readonly headers: ReceivedHeaders;
}

/**
 * The call's `Idempotency-Key` and a fingerprint of endpoint, parameters, query and body as they were parsed; null
 * without the header. A `bytes` body is left to the endpoint's service.
 * Throws `idempotency_key_invalid`.
 */
export function idempotencyOf(
  endpoint: Endpoint,
  call: ReadCall,
): Idempotency {
  const key = call.headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x20-\x7e]{16,255}$/.test(key)) throw new Failure("idempotency_key_invalid");
  const { method, path } = endpoint;
  const { params, query } = call;
  const parsed = {
    endpoint: `${method} ${path}`,
    params,
    query,
    body: comparedBody(endpoint, call),
  };
  return { key, fingerprint: callFingerprint(parsed) };
}

function comparedBody({ body: schema }: Endpoint, { body, rawBody }: ReadCall) {
  if (schema === "bytes") return undefined;
  return schema === "ignored" ? ignoredBody(rawBody) : body;
}

/** An ignored body may be anything: the value where it is JSON, else its bytes. */
function ignoredBody(bytes: Uint8Array) {
  try {
    return { json: parseJsonBody(bytes) };
  } catch {
    return { bytes: Buffer.from(bytes).toString("latin1") };
  }
}
