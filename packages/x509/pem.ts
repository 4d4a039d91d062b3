import { Buffer } from "node:buffer";

/** The largest base64 body of one PEM block that is decoded, in characters. */
const MAX_BODY_CHARACTERS = 1_500_000;

/** One block of PEM armour, or the place where one was begun and is damaged. */
export interface PemBlock {
  /** Counted from 0, damaged blocks included. */
  index: number;
  /** The line of its BEGIN, counted from 1; undefined in a file that is no PEM. */
  line?: number;
  /** The label after BEGIN, without its blanks: `CERTIFICATE`, `RSAPRIVATEKEY`. */
  label: string;
  /** The decoded body; undefined when `fault` says why there is none. */
  der?: Uint8Array;
  fault?: string;
  /** The cipher and IV of a legacy encrypted key (`DEK-Info`). */
  encryption?: { algorithm: string; iv: string };
}

/**
 * Every PEM block of `input` in its order, text around them skipped. Takes what survives mail and
 * forms: a BOM, UTF-16, CR LF, line breaks turned into blanks or lost, `\n` written out. Never
 * throws; time and memory are linear in the input, and no more than one block is held.
 */
export function* readPemBlocks(input: Uint8Array): Generator<PemBlock> {
  const text = asBytes(input);
  let open: { label: string; line: number; bodyStart: number } | undefined;
  let index = 0;
  let line = 1;
  let counted = 0;
  for (const boundary of boundaries(text)) {
    if (boundary.kind === "BEGIN") {
      if (open) {
        yield { index: index++, line: open.line, label: open.label, fault: "has no END line" };
      }
      line += countLines(text, counted, boundary.start);
      counted = boundary.start;
      open = { label: boundary.label, line, bodyStart: boundary.end };
    } else if (open) {
      const { label, bodyStart } = open;
      yield {
        index: index++,
        line: open.line,
        label,
        ...(label === boundary.label
          ? readBody(text, bodyStart, boundary.start)
          : { fault: "has an END line of another kind" }),
      };
      open = undefined;
    }
  }
  if (open) yield { index, line: open.line, label: open.label, fault: "has no END line" };
}

/** The base64 of a DER as a PEM block with lines of 64 characters, ending in a line feed. */
export function toPem(
  base64: string,
  label: "CERTIFICATE" | "PUBLIC KEY" | "PRIVATE KEY" = "CERTIFICATE",
): string {
  let text = `-----BEGIN ${label}-----\n`;
  for (let i = 0; i < base64.length; i += 64) text += `${base64.slice(i, i + 64)}\n`;
  return `${text}-----END ${label}-----\n`;
}

interface Boundary {
  kind: "BEGIN" | "END";
  label: string;
  start: number;
  end: number;
}

/** Each search starts where the last one ended, so a file of nothing but BEGINs stays linear. */
function* boundaries(text: Buffer): Generator<Boundary> {
  for (let at = text.indexOf("-----"); at >= 0;) {
    let end = at + 5;
    while (text[end] === 0x2d) end++;
    const match = /^ ?(BEGIN|END)([A-Z0-9 \t]{1,60})-----/.exec(
      text.toString("latin1", end, end + 80),
    );
    if (match) {
      const [whole, kind, label = ""] = match;
      end += whole.length;
      yield {
        kind: kind === "BEGIN" ? "BEGIN" : "END",
        label: label.replace(/[ \t]/g, ""),
        start: at,
        end,
      };
    }
    at = text.indexOf("-----", end);
  }
}

function readBody(text: Buffer, start: number, end: number): Partial<PemBlock> {
  if (end - start > MAX_BODY_CHARACTERS) return { fault: "is too large" };
  const { data, encryption } = splitHeaders(text.toString("latin1", start, end));
  // The blanks of UTF-8 (no-break space, BOM) arrive here as bytes above 127.
  const base64 = data.replace(/\\[nrt]|[\s\u00a0\u00c2\u00ef\u00bb\u00bf]/g, "");
  if (base64 === "") return { fault: "is empty" };
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.replace(/=+$/, "").length % 4 === 1) {
    return { fault: "is not base64" };
  }
  return { der: new Uint8Array(Buffer.from(base64, "base64")), encryption };
}

/** Takes the headers of RFC 1421 off a body, also where all its line breaks were lost. */
function splitHeaders(body: string): { data: string; encryption?: PemBlock["encryption"] } {
  if (!body.includes(":")) return { data: body };
  const at = body.indexOf("DEK-Info:");
  if (at < 0) return { data: body.split(/\r\n|\r|\n/).filter((l) => !l.includes(":")).join("\n") };
  const match = /^DEK-Info:\s{0,4}([A-Z0-9-]{1,32}),\s{0,4}([0-9A-Fa-f]{1,32})/.exec(
    body.slice(at, at + 128),
  );
  const [whole = "", algorithm = "", digits = ""] = match ?? [];
  // If the line break was lost, base64 follows at once: the cipher determines the length of its IV.
  const iv = digits.slice(0, algorithm.startsWith("DES") ? 16 : 32);
  const length = whole.length - (digits.length - iv.length);
  return { data: body.slice(at + length), encryption: { algorithm, iv } };
}

function countLines(text: Buffer, from: number, to: number): number {
  const passed = text.subarray(from, to);
  let lines = 0;
  for (let at = passed.indexOf(10); at >= 0; at = passed.indexOf(10, at + 1)) lines++;
  return lines;
}

function asBytes(input: Uint8Array): Buffer {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const mark = bytes.length > 1 ? bytes.readUInt16BE(0) : 0;
  if (mark !== 0xfffe && mark !== 0xfeff) return bytes;
  const text = new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes);
  return Buffer.from(text, "latin1");
}
