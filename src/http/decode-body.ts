import type { ReceivedHeaders } from "../calls/received.ts";
import { type Endpoint, refusesUnlisted } from "../contract/endpoint.ts";
import { contentTypeOf } from "./content-type.ts";
import { parseFormBody } from "./form-body.ts";
import { parseJsonBody } from "./json-body.ts";
import { dropKnownNulls } from "./known-nulls.ts";
import type { UnknownMember } from "./unknown-names.ts";
import { unlistedMembers } from "./unlisted.ts";

/** A body, and its members that nothing lists where such count. */
export interface Decoded {
  readonly value: unknown;
  readonly unknown: readonly UnknownMember[];
}

const NOTHING: Decoded = { value: undefined, unknown: [] };

/** The body as it is written: JSON or a form that its schema has not seen yet, bytes, or nothing where it is ignored. */
export function decodeBody(
  endpoint: Endpoint,
  bytes: Uint8Array,
  headers: ReceivedHeaders,
): Decoded {
  const { body: schema, bodyOptional, bodyEncoding, keepsUnknown } = endpoint;
  if (schema === "bytes") {
    return { value: { bytes, contentType: contentTypeOf(headers) }, unknown: [] };
  }
  if (schema === undefined || schema === "ignored") return strayMembers(endpoint, bytes);
  if (bodyOptional && bytes.length === 0) return { value: {}, unknown: [] };
  let unknown: readonly UnknownMember[] = [];
  const look = refusesUnlisted(endpoint)
    ? (value: unknown) => {
      unknown = unlistedMembers(endpoint, value);
    }
    : undefined;
  if (bodyEncoding === "form") {
    const value = parseFormBody(bytes, contentTypeOf(headers));
    look?.(value);
    return { value, unknown };
  }
  const value = parseJsonBody(bytes, keepsUnknown ? "keep nulls" : "drop nulls", look);
  if (keepsUnknown) dropKnownNulls(schema, value);
  return { value, unknown };
}

/** Whoever sends members to an endpoint that takes none means something by them; whatever else comes is ignored. */
function strayMembers(endpoint: Endpoint, bytes: Uint8Array): Decoded {
  if (bytes.length === 0 || !refusesUnlisted(endpoint)) return NOTHING;
  let unknown: readonly UnknownMember[] = [];
  try {
    parseJsonBody(bytes, "keep nulls", (value) => {
      unknown = unlistedMembers(endpoint, value);
    });
  } catch {
    // No JSON, or none that would be taken.
  }
  return { value: undefined, unknown };
}
