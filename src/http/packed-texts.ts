/** Texts kept in all, in characters; beyond it the oldest go. */
const KEPT_LENGTH = 2 * 1024 * 1024;

/**
 * Compressed editions of the texts that were sent last, found by the whole text: what is kept in `kernel/read-cache.ts`
 * goes out again and again, and compressing it costs ten times what sending it does. One for each encoding.
 */
export class PackedTexts<Bytes> {
  readonly #kept = new Map<string, Bytes>();
  #length = 0;

  /** The edition of this text, as `pack` made it when it came before, or makes it now. */
  get(text: string, pack: (text: string) => Bytes): Bytes {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const packed = pack(text);
    this.#kept.set(text, packed);
    this.#length += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#length <= KEPT_LENGTH) break;
      this.#kept.delete(oldest);
      this.#length -= oldest.length;
    }
    return packed;
  }
}
