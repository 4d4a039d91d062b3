import { BadRequest } from "./bad-request.ts";
import type { Fields } from "./fields.ts";

/** Where a request's body ends: after so many bytes, 0 where there is none, or by its chunks. */
export type Framing = number | "chunked";

/**
 * Where the body of a request ends (RFC 9112, 6). Throws where two readers of these fields could
 * come to two answers, which is what smuggled requests are made of: what the RFC lets a server
 * repair is refused too.
 */
export function framingOf(fields: Fields, minor: 0 | 1): Framing {
  const coding = fields.get("transfer-encoding");
  const length = fields.get("content-length");
  if (coding !== null) {
    if (length !== null) throw malformed("Content-Length and Transfer-Encoding exclude each other");
    if (minor === 0) throw malformed("HTTP/1.0 has no Transfer-Encoding");
    return chunkedOnly(coding.toLowerCase());
  }
  if (length === null) return 0;
  // A list of lengths, even of equal ones, is none.
  if (!/^\d{1,15}$/.test(length)) throw malformed("Content-Length is not one number");
  return Number(length);
}

function chunkedOnly(coding: string): "chunked" {
  if (coding === "chunked") return coding;
  if (!/(^|[, \t])chunked$/.test(coding)) {
    throw malformed("the last transfer coding is not chunked");
  }
  throw new BadRequest("coding_unsupported");
}

/** A request that is none, for this reason. */
export function malformed(reason: string): BadRequest {
  return new BadRequest("malformed_request", `The request is malformed: ${reason}.`);
}
