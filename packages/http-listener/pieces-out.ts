/** How much is handed to the kernel at once. */
const LARGE = 64 * 1024;
/**
 * The limit for short answers, and while many connections take nothing: the sum of waiting bytes
 * has to stay small.
 */
const SMALL = 8 * 1024;
/** From here on it is small: bytes that are on their way out, of all connections. */
const MUCH = 8 * 1024 * 1024;
/**
 * All large ones are kept for the next answers, so that no more are ever made; of small ones what a
 * turn's calls need.
 */
const SPARE_LARGE = MUCH / LARGE;
const SPARE_SMALL = 512;

/**
 * Memory for what is on its way out. A client that reads nothing keeps one piece of it, and the sum
 * for thousands of such clients has a bound.
 */
export class PiecesOut {
  readonly #large: Uint8Array<ArrayBuffer>[] = [];
  readonly #small: Uint8Array<ArrayBuffer>[] = [];
  #used = 0;

  /** A piece to write into, with room for `wanted` bytes or a part of them; `give` returns it. */
  take(wanted: number): Uint8Array<ArrayBuffer> {
    const isSmall = wanted <= SMALL || this.#used >= MUCH;
    const piece = isSmall
      ? this.#small.pop() ?? new Uint8Array(SMALL)
      : this.#large.pop() ?? new Uint8Array(LARGE);
    this.#used += piece.length;
    return piece;
  }

  give(piece: Uint8Array<ArrayBuffer>): void {
    this.#used -= piece.length;
    const [spare, most] = piece.length === SMALL
      ? [this.#small, SPARE_SMALL]
      : [this.#large, SPARE_LARGE];
    if (spare.length < most) spare.push(piece);
  }
}
