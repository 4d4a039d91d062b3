import type { z } from "zod";
import type { ReceivedHeaders, ReceivedRequest } from "../../packages/http-listener/request.ts";
import { type Endpoint, refusesUnlisted } from "../contract/endpoint.ts";
import { Failure } from "../kernel/failure.ts";
import { LONGEST_HEADER } from "../kernel/input-limits.ts";
import { decodeUtf8, parseJsonBody } from "./json-body.ts";
import { membersTwice } from "./members-twice.ts";
import type { UnknownMember } from "./unknown-names.ts";
import { unlistedMembers } from "./unlisted.ts";

/** A body, and its members that nothing lists, or that stand twice, where such count. */
interface Decoded {
  readonly value: unknown;
  readonly unknown: readonly UnknownMember[];
  /** Their names. */
  readonly twice: readonly string[];
}

const NO_SLIPS: Omit<Decoded, "value"> = { unknown: [], twice: [] };
const NOTHING: Decoded = { value: undefined, ...NO_SLIPS };

/**
 * The body as it is written: JSON or a form that its schema has not seen yet, bytes, or nothing
 * where it is ignored.
 */
export function decodeBody(
  endpoint: Endpoint,
  bytes: Uint8Array,
  { headers, gone }: Pick<ReceivedRequest, "headers" | "gone">,
): Decoded {
  const { body: schema, bodyOptional, bodyEncoding, keepsUnknown, mostMembers } = endpoint;
  if (schema === "bytes") {
    return { value: { bytes, contentType: contentTypeOf(headers), gone }, ...NO_SLIPS };
  }
  if (schema === undefined || schema === "ignored") return strayMembers(endpoint, bytes);
  if (bodyOptional && bytes.length === 0) return { value: {}, ...NO_SLIPS };
  let unknown: readonly UnknownMember[] = [];
  let text = "";
  const look = refusesUnlisted(endpoint)
    ? (value: unknown, written = "") => {
      unknown = unlistedMembers(endpoint, value);
      text = written;
    }
    : undefined;
  if (bodyEncoding === "form") {
    const value = parseFormBody(bytes, contentTypeOf(headers));
    look?.(value);
    return { value, unknown, twice: [] };
  }
  const value = parseJsonBody(bytes, keepsUnknown ? "keep nulls" : "drop nulls", look, mostMembers);
  if (keepsUnknown) dropKnownNulls(schema, value);
  return { value, unknown, twice: membersTwice(text) };
}

/** Members for an endpoint without a body are probably a mistake; any other bytes are ignored. */
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
  return { ...NOTHING, unknown };
}

/**
 * The media type of a body; empty if it has none. Throws `invalid_input` for more than any type
 * needs.
 */
export function contentTypeOf(headers: ReceivedHeaders): string {
  const header = headers.get("content-type") ?? "";
  if (header.length <= LONGEST_HEADER) return header;
  const message = `Content-Type: expected at most ${LONGEST_HEADER} characters`;
  throw new Failure("invalid_input", { message, details: [message] });
}

/** Forms of ours are a handful of short values; reading a long one costs more than sending it. */
export const LONGEST_FORM = 16 * 1024;

/**
 * Parses a body as application/x-www-form-urlencoded. A parameter without a value counts as absent,
 * one that comes twice is refused (RFC 6749, 3.2). Throws `invalid_input`, or `malformed_body` for
 * what is no UTF-8.
 */
export function parseFormBody(bytes: Uint8Array, contentType: string): Record<string, string> {
  const [type = ""] = contentType.split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw refused("Content-Type: expected application/x-www-form-urlencoded");
  }
  if (bytes.length > LONGEST_FORM) throw refused(`body: expected at most ${LONGEST_FORM} bytes`);
  const names = new Set<string>();
  const values: [string, string][] = [];
  for (const [name, value] of new URLSearchParams(decodeUtf8(bytes))) {
    if (names.has(name)) {
      throw refused(`${name.slice(0, 100).toWellFormed()}: must not come more than once`);
    }
    names.add(name);
    if (value !== "") values.push([name, value]);
  }
  return Object.fromEntries(values);
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/**
 * Takes members that are `null` out of a JSON value, in place, where the schema lists them: there
 * `null` counts as absent. An entry of a map to objects of free form becomes `{}`, since its name
 * says something by itself: that a plan opens this API. Members that the schema does not list, or
 * leaves free, stay as they came.
 */
function dropKnownNulls(schema: z.core.$ZodType, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  // as: every schema of the contract is one of zod's own.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "default":
    case "optional":
      return dropKnownNulls(def.innerType, value);
    case "array":
      for (const item of Array.isArray(value) ? value : []) dropKnownNulls(def.element, item);
      return;
    case "object":
      return dropIn(value, Object.entries(def.shape));
    case "record":
      emptyFreeForms(value, def.valueType);
      return dropIn(value, Object.keys(value).map((name) => [name, def.valueType]));
  }
}

function emptyFreeForms(value: object, entry: z.core.$ZodType): void {
  const { def } = (entry as z.core.$ZodTypes)._zod;
  if (def.type !== "record" || !isFree(def.valueType)) return;
  // as: JSON.parse makes plain objects and arrays only.
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) object[name] ??= {};
}

function dropIn(value: object, members: readonly (readonly [string, z.core.$ZodType])[]): void {
  // as: JSON.parse makes plain objects and arrays only.
  const object = value as Record<string, unknown>;
  for (const [name, schema] of members) {
    if (object[name] === null && !isFree(schema)) delete object[name];
    else dropKnownNulls(schema, object[name]);
  }
}

function isFree(schema: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === "unknown";
}
