import { BadRequest } from "./bad-request.ts";
import { Fields } from "./fields.ts";
import { type Framing, framingOf, malformed } from "./framing.ts";

/** A request's head, read and found to be one. */
export interface Head {
  readonly method: string;
  /** `http://`, the host, and the target as received. */
  readonly url: string;
  /** HTTP/1.`minor`. */
  readonly minor: 0 | 1;
  readonly fields: Fields;
  readonly framing: Framing;
  /** True: the client uses the connection again. */
  readonly persists: boolean;
  /** True: the body comes when it is asked for (RFC 9110, 10.1.1). */
  readonly expectsContinue: boolean;
}

/** Longest head in bytes, with the blank line at its end. */
export const LONGEST_HEAD = 64 * 1024;
const MOST_FIELDS = 100;

/**
 * Reads a request's head (RFC 9112, 2 to 6): bytes as Latin 1, without the blank line at its end.
 * Any token is a method, and `Upgrade` means nothing. Throws what the client is told before the
 * connection ends. It repairs nothing: bare CR or LF, folded lines, blanks before a colon and two
 * hosts are refused.
 */
export function readHead(text: string): Head {
  const lines = text.split("\r\n");
  for (const line of lines) {
    if (NO_TEXT.test(line)) throw malformed("a control character stands in its head");
  }
  const [, method = "", target = "", version = ""] = REQUEST_LINE.exec(lines[0] ?? "") ??
    refuseLine(lines[0] ?? "");
  if (version !== "1.1" && version !== "1.0") throw new BadRequest("version_unsupported");
  const minor = version === "1.1" ? 1 : 0;
  const fields = readFields(lines);
  const host = hostOf(fields, minor, target);
  const connection = fields.get("connection");
  return {
    method,
    url: urlOf(target, host, method),
    minor,
    fields,
    framing: framingOf(fields, minor),
    persists: connection === null ? minor === 1 : persists(connection, minor),
    expectsContinue: minor === 1 && fields.get("expect")?.toLowerCase() === "100-continue",
  };
}

/** Control characters but the tab: in a line a CR or LF is one half of a line's end. */
// deno-lint-ignore no-control-regex
const NO_TEXT = /[\0-\x08\x0a-\x1f\x7f]/;

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-"$-~\x80-\xff]+) HTTP\/(\d\.\d)$/;

/** One space between method, target and version, and nothing else. */
function refuseLine(line: string): never {
  throw malformed(
    line.includes("#") ? "a fragment is no part of a target" : "this is no request line",
  );
}

function readFields(lines: readonly string[]): Fields {
  const names: string[] = [];
  const values: string[] = [];
  if (lines.length - 1 > MOST_FIELDS) throw new BadRequest("head_too_large");
  for (let n = 1; n < lines.length; n++) {
    const line = lines[n] ?? "";
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0));
    if (!TOKEN.test(name)) throw malformed(whyNoField(line));
    names.push(name.toLowerCase());
    values.push(trimmed(line, colon + 1));
  }
  return new Fields(names, values);
}

/** True of a field line that is one: for trailers, which nobody reads. */
export function isField(line: string): boolean {
  return TOKEN.test(line.slice(0, Math.max(line.indexOf(":"), 0))) && !NO_TEXT.test(line);
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function whyNoField(line: string): string {
  return /^[ \t]/.test(line)
    ? "a header goes on in a second line"
    : "a line of its head is no header";
}

/** The rest of a line without the blanks around it: `trim` would take what is no blank here. */
function trimmed(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return line.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** RFC 9112, 3.2: one, in HTTP/1.1. Before that the target may name it, or nobody. */
function hostOf(fields: Fields, minor: 0 | 1, target: string): string {
  const said = fields.get("host");
  if (said === null && minor === 1) throw malformed("HTTP/1.1 has a Host");
  const host = said ?? (ABSOLUTE.exec(target)?.[1] || "localhost");
  // Two of them are joined by what stands in none.
  if (!HOST.test(host)) throw malformed("Host is not one host");
  return host;
}

const HOST = /^(?:[A-Za-z0-9._~!$&'()*+;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/**
 * The target as a URL: a path, `*` of OPTIONS, or what a proxy is sent, whose host has to be that
 * of the header.
 */
function urlOf(target: string, host: string, method: string): string {
  const received = HIGH.test(target) ? decoded(target) : target;
  if (received.startsWith("/")) return `http://${host}${received}`;
  if (received === "*" && method === "OPTIONS") return `http://${host}/*`;
  const [, authority = "", rest = ""] = ABSOLUTE.exec(received) ?? refuseTarget();
  if (authority.toLowerCase() !== host.toLowerCase() || authority === "") {
    throw malformed("its target names another host than Host");
  }
  return `http://${host}${rest.startsWith("/") ? "" : "/"}${rest}`;
}

const ABSOLUTE = /^https?:\/\/([^/?\\]*)(.*)$/i;
const HIGH = /[\x80-\xff]/;

function refuseTarget(): never {
  throw malformed("its target is no path");
}

/** Characters that were not percent-encoded are UTF-8, or nothing. */
function decoded(target: string): string {
  try {
    return UTF8.decode(Uint8Array.from(target, (char) => char.charCodeAt(0)));
  } catch {
    throw malformed("its target is not UTF-8");
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function persists(connection: string, minor: 0 | 1): boolean {
  const options = connection.toLowerCase().split(",").map((option) => option.trim());
  return !options.includes("close") && (minor === 1 || options.includes("keep-alive"));
}
