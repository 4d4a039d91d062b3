import type { ImportLine } from "../features/keys/import.service.ts";

/**
 * A longer line is refused where nothing else is said: no key needs it, and without line ends must
 * not fill the memory.
 */
const LONGEST_LINE = 64 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A line of a file, and how many bytes it took with its end. */
export type FileLine = ImportLine & { bytes: number };

/**
 * The lines of a stream, counted from 1, without those that are blank. Memory stays that of one
 * line and one piece of the stream.
 */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  longest = LONGEST_LINE,
): AsyncGenerator<FileLine, void, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  const take = (): FileLine | undefined => {
    const taken = toLine(parts, length, { line, longest });
    parts = [];
    length = 0;
    line++;
    return taken;
  };
  for await (const piece of stream) {
    let from = 0;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, from)) {
      length += end + 1 - from;
      if (length <= longest) parts.push(piece.subarray(from, end));
      from = end + 1;
      const taken = take();
      if (taken) yield taken;
    }
    length += piece.length - from;
    // A copy: the piece itself would be kept as long as its last bytes.
    if (length <= longest) parts.push(piece.slice(from));
    else parts = [];
  }
  const last = take();
  if (last) yield last;
}

const LF = 0x0a;

function toLine(
  parts: readonly Uint8Array[],
  bytes: number,
  { line, longest }: { line: number; longest: number },
): FileLine | undefined {
  if (bytes > longest) return { line, bytes, reason: `is longer than ${longest} bytes` };
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  try {
    const text = utf8.decode(whole).trim();
    return text === "" ? undefined : { line, bytes, text };
  } catch {
    return { line, bytes, reason: "is not valid UTF-8" };
  }
}
