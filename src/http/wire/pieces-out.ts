/** How much is handed to the kernel at once. */
const LARGE = 64 * 1024;
/** The same while many connections take nothing: what waits for them all has to stay small. */
const SMALL = 4 * 1024;
/** From here on it is small: bytes that are on their way out, of all connections. */
const MUCH = 8 * 1024 * 1024;
const MOST_SPARE = 32;

/**
 * Memory for what is on its way out. Whoever reads nothing holds one piece of it, and what thousands hold that read
 * nothing has a bound.
 */
export class PiecesOut {
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #used = 0;

  /** A piece to write into; it comes back by `give`. */
  take(): Uint8Array<ArrayBuffer> {
    const isMuch = this.#used >= MUCH;
    const piece = isMuch ? new Uint8Array(SMALL) : this.#spare.pop() ?? new Uint8Array(LARGE);
    this.#used += piece.length;
    return piece;
  }

  give(piece: Uint8Array<ArrayBuffer>): void {
    this.#used -= piece.length;
    if (piece.length === LARGE && this.#spare.length < MOST_SPARE) this.#spare.push(piece);
  }
}
