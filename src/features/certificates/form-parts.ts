import { Buffer } from "node:buffer";
import { Failure } from "../../kernel/failure.ts";

/** One part of a form. */
export interface FormPart {
  name: string;
  /** True: it came with a name of a file. */
  isFile: boolean;
  /** A view into the body. */
  bytes: Uint8Array;
}

/** The headers of a part hold a few names. */
const LONGEST_HEAD = 8 * 1024;

/**
 * The boundary that a Content-Type names where it is multipart/form-data; empty where it names
 * none; else undefined.
 */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) return undefined;
  return parametersOf(contentType).get("boundary") ?? "";
}

/**
 * The parts of a body in multipart/form-data (RFC 7578), in their order. Cost is linear in the
 * body, whatever it holds, and nothing is copied. Throws `malformed_body` at the first thing that
 * is no part.
 */
export function* formParts(body: Uint8Array, boundary: string): Generator<FormPart> {
  if (boundary === "") throw noForm();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let begun: number | undefined;
  for (const { start, end, isLast } of delimiters(bytes, boundary)) {
    if (begun !== undefined) yield readPart(bytes.subarray(begun, Math.max(begun, start)));
    if (isLast) return;
    begun = end;
  }
  throw noForm();
}

/** A line that divides parts, from the line break before it to the one behind it. */
interface Delimiter {
  start: number;
  end: number;
  isLast: boolean;
}

const CARRIAGE_RETURN = 13;

/** No boundary holds a line break, so that a byte is compared twice at the most. */
function* delimiters(bytes: Buffer, boundary: string): Generator<Delimiter> {
  const mark = Buffer.from(`\r\n--${boundary}`, "latin1");
  // The first one may stand at the very beginning, where its line break would lie before the body.
  let start = -2;
  do {
    if (standsAt(mark, bytes, start)) {
      const end = start + mark.length;
      const next = bytes.toString("latin1", end, end + 2);
      if (next === "\r\n") yield { start, end: end + 2, isLast: false };
      if (next === "--") return yield { start, end, isLast: true };
    }
    start = bytes.indexOf(CARRIAGE_RETURN, Math.max(0, start + 1));
  } while (start !== -1);
}

function standsAt(mark: Buffer, bytes: Buffer, start: number): boolean {
  for (let i = Math.max(0, -start); i < mark.length; i++) {
    if (bytes[start + i] !== mark[i]) return false;
  }
  return true;
}

function readPart(part: Buffer): FormPart {
  // A part without any header begins with the empty line.
  const head = Buffer.concat([Buffer.from("\r\n"), part.subarray(0, LONGEST_HEAD)]);
  const length = head.indexOf("\r\n\r\n");
  if (length === -1) throw noForm();
  const disposition = head.toString("utf8", 0, length).split("\r\n")
    .find((line) => /^content-disposition:/i.test(line));
  const parameters = parametersOf(disposition ?? "");
  const name = parameters.get("name");
  if (name === undefined) throw noForm();
  const isFile = parameters.has("filename") || parameters.has("filename*");
  return { name, isFile, bytes: part.subarray(length + 2) };
}

const PARAMETER = /;\s*([a-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/gi;

/** The parameters of a header by their names in lower case; of two, the first counts. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    const value = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, "$1");
    if (!parameters.has(key)) parameters.set(key, value);
  }
  return parameters;
}

function noForm(): Failure {
  return new Failure("malformed_body", { details: ["body: is no multipart form"] });
}
