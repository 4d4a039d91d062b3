import { BadRequest } from "./bad-request.ts";
import type { Fields } from "./fields.ts";

/** The end of a request's body: after so many bytes (0: no body), or by its chunks. */
export type Framing = number | "chunked";

/**
 * The framing of a request's body (RFC 9112, 6). Throws if two readers could understand these
 * fields differently, because this allows request smuggling: even fields that the RFC lets a server
 * repair are refused.
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
