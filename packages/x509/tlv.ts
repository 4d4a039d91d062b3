/** A value of DER or BER by its place in the bytes, so that what is cut out keeps every byte. */
export interface Tlv {
  tag: number;
  start: number;
  /** The start and end of its content; `end` is behind the end mark of an indefinite length. */
  from: number;
  to: number;
  end: number;
}

/** Deeper than any file of certificates that was met in the wild. */
const MAX_DEPTH = 32;

/** The value that starts at `at`; undefined where none does, or one that is longer than `until`. */
export function tlvAt(
  bytes: Uint8Array,
  at = 0,
  until = bytes.length,
  depth = 0,
): Tlv | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined;
  if (first === 0x80) return indefinite(bytes, at, until, depth);
  let from = at + 2;
  let length = first;
  if (first > 0x80) {
    if (first > 0x84) return undefined;
    length = 0;
    for (let left = first - 0x80; left > 0; left--) length = length * 256 + (bytes[from++] ?? 0);
  }
  const to = from + length;
  return to <= until ? { tag, start: at, from, to, end: to } : undefined;
}

function indefinite(
  bytes: Uint8Array,
  at: number,
  until: number,
  depth: number,
): Tlv | undefined {
  if (depth >= MAX_DEPTH) return undefined;
  for (let next = at + 2; next + 2 <= until;) {
    if (bytes[next] === 0 && bytes[next + 1] === 0) {
      return { tag: bytes[at] ?? 0, start: at, from: at + 2, to: next, end: next + 2 };
    }
    const member = tlvAt(bytes, next, until, depth + 1);
    if (!member) return undefined;
    next = member.end;
  }
  return undefined;
}

/** The members of a constructed value, in their order; they end where one is damaged. */
export function* membersOf(bytes: Uint8Array, { from, to }: Tlv): Generator<Tlv> {
  for (let at = from; at < to;) {
    const member = tlvAt(bytes, at, to);
    if (!member) return;
    yield member;
    at = member.end;
  }
}
