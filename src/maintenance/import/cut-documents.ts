/** A longer document is no record of what moves in, and must not fill the memory. */
const LONGEST = 16 * 1024 * 1024;

/** A document's text with its number from 1, or why there is none. */
type CutDocument = { n: number } & ({ text: string } | { problem: string });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LIST = 0x5b;
const LIST_END = 0x5d;

/** Why the last document of a stream can't be read that ended too early. */
export const BROKEN_OFF = "ends in the middle: the file is not whole";

/** Why a document can't be read that is none, or has lost its beginning. */
export const NO_DOCUMENT = "is no JSON object";

/**
 * The bytes between documents beside the brackets of an array: blanks, commas, a byte order mark.
 */
const BETWEEN: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0xef, 0xbb, 0xbf]);

/**
 * Cuts a stream of JSON into its outermost objects: one a line, over several lines, or in one
 * array. Only where an object ends is found here; what it says is JSON.parse's matter. Memory stays
 * that of one object and one piece. Text between objects that is none is reported once. `listed`:
 * of one outermost object those inside of it, such as what an answer lists (`{"Data": [{…}], …}`).
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
  /** Something is between the object before and the next one. */
  let isStray = false;
  /** Outermost arrays that have not ended. */
  let lists = 0;
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
      } else if (byte === QUOTE && depth > 0) inText = true;
      else if (byte === OPEN) {
        if (depth++ === level) from = at;
        isStray = false;
      } else if (byte === CLOSE && depth > 0 && --depth === level) {
        parts.push(piece.subarray(from, at + 1));
        length += at + 1 - from;
        n++;
        yield { n, ...textOf(parts, length, utf8) };
        parts = [];
        length = 0;
      } else if (depth === 0 && !listed) {
        if (byte === LIST) lists++;
        else if (byte === LIST_END) lists--;
        else if (!isStray && !BETWEEN.has(byte ?? 0)) {
          isStray = true;
          yield { n: ++n, problem: NO_DOCUMENT };
        }
      }
    }
    if (depth <= (level ?? 0)) continue;
    length += piece.length - from;
    // A copy: the piece itself would be kept as long as its last bytes.
    if (length <= LONGEST) parts.push(piece.slice(from));
    else parts = [];
  }
  if (depth > 0 || lists > 0) yield { n: n + 1, problem: BROKEN_OFF };
}

/**
 * The level at which an answer's list begins: at its outermost array, or inside of its outermost
 * object.
 */
function levelOf(piece: Uint8Array): number | undefined {
  const first = piece.find((byte) => byte === OPEN || byte === LIST);
  return first === undefined ? undefined : first === OPEN ? 1 : 0;
}

function textOf(
  parts: readonly Uint8Array[],
  length: number,
  utf8: TextDecoder,
): { text: string } | { problem: string } {
  if (length > LONGEST) return { problem: "is larger than 16 MiB" };
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
    return { problem: "is not valid UTF-8" };
  }
}
