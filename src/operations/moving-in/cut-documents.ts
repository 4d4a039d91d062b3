/** A longer document is no record of what moves in, and must not fill the memory. */
const LONGEST = 16 * 1024 * 1024;

/** A document's text with its number from 1, or why there is none. */
export type CutDocument = { n: number } & ({ text: string } | { trouble: string });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LIST = 0x5b;

/** Why the last document of a stream can't be read that ended too early. */
export const BROKEN_OFF = "ends in the middle: the file is not whole";

/**
 * Cuts a stream of JSON into its outermost objects: one a line, over several lines, or in one array. Only where an
 * object ends is found here; what it says is JSON.parse's matter. Memory stays that of one object and one piece.
 * `listed`: of one outermost object those inside of it, such as what an answer lists (`{"Data": [{…}], …}`).
 */
export async function* cutDocuments(
  stream: AsyncIterable<Uint8Array>,
  { listed = false } = {},
): AsyncGenerator<CutDocument, void, void> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let parts: Uint8Array[] = [];
  let length = 0;
  let depth = 0;
  /** Objects at this depth are cut out; undefined until it is known what the outermost value is. */
  let level = listed ? undefined : 0;
  let inText = false;
  let escaped = false;
  let n = 0;
  for await (const piece of stream) {
    let from = 0;
    level ??= levelOf(piece);
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = depth > 0;
      else if (byte === OPEN) {
        if (depth++ === level) from = at;
      } else if (byte === CLOSE && depth > 0 && --depth === level) {
        parts.push(piece.subarray(from, at + 1));
        length += at + 1 - from;
        n++;
        yield { n, ...textOf(parts, length, utf8) };
        parts = [];
        length = 0;
      }
    }
    if (depth <= (level ?? 0)) continue;
    length += piece.length - from;
    // A copy: the piece itself would be kept as long as its last bytes.
    if (length <= LONGEST) parts.push(piece.slice(from));
    else parts = [];
  }
  if (depth > 0) yield { n: n + 1, trouble: BROKEN_OFF };
}

/** Where an answer's list begins: at its outermost array, or inside of its outermost object. */
function levelOf(piece: Uint8Array): number | undefined {
  const first = piece.find((byte) => byte === OPEN || byte === LIST);
  return first === undefined ? undefined : first === OPEN ? 1 : 0;
}

function textOf(
  parts: readonly Uint8Array[],
  length: number,
  utf8: TextDecoder,
): { text: string } | { trouble: string } {
  if (length > LONGEST) return { trouble: "is larger than 16 MiB" };
  try {
    const [only, more] = parts;
    if (only && !more) return { text: utf8.decode(only) };
    const whole = new Uint8Array(length);
    let offset = 0;
    for (const part of parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    return { text: utf8.decode(whole) };
  } catch {
    return { trouble: "is not valid UTF-8" };
  }
}
