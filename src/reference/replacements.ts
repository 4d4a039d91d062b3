import { Buffer } from "node:buffer";

/** Bytes of a document and the text that another document has instead. */
export interface Replacement {
  /** The first byte. */
  readonly at: number;
  /** In bytes. */
  readonly length: number;
  readonly text: string;
}

/** The document with these replacements, which are in its order. */
export function replaced(
  document: Uint8Array,
  replacements: readonly Replacement[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { at, length, text } of replacements) {
    parts.push(document.subarray(from, at), new TextEncoder().encode(text));
    from = at + length;
  }
  parts.push(document.subarray(from));
  return new Uint8Array(Buffer.concat(parts));
}
