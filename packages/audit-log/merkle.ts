import { sha256 as digest } from "@noble/hashes/sha2.js";
import { createHash } from "node:crypto";

/**
 * The hash of one entry of a log, as RFC 6962 (2.1) says: SHA-256 of a zero byte and the entry's
 * UTF-8. Hex.
 */
export function leafHash(entry: string): string {
  // A native object each, which lives until the next full collection; @noble/hashes takes ten times
  // as long.
  return createHash("sha256").update(`\0${entry}`).digest("hex");
}

/**
 * The right edge of a Merkle tree of RFC 6962: the roots of the whole subtrees that its size is
 * made of, the largest first. It takes further leaves and gives the root without those that came
 * before.
 */
export class Frontier {
  #size: number;
  readonly #hashes: Uint8Array[];

  /**
   * `text`: as toString wrote it for this size. Throws where it has not as many hashes as the size
   * is made of.
   */
  constructor(size = 0, text = "") {
    const hashes = text === "" ? [] : text.split(",");
    if (hashes.length !== ones(size) || !hashes.every((hash) => HASH.test(hash))) {
      throw new RangeError(`no frontier of ${size} leaves`);
    }
    this.#size = size;
    this.#hashes = hashes.map((hash) => Uint8Array.fromHex(hash));
  }

  /** How many leaves the tree has. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds the leaf whose hash this is. A text that is no hash, as a hand-written row may have it,
   * counts as zeros.
   */
  add(leaf: string): void {
    let hash: Uint8Array = LEAF.test(leaf) ? Uint8Array.fromHex(leaf) : new Uint8Array(32);
    // Two subtrees of one size become one of the next.
    for (let left = this.#size; left % 2 === 1; left = Math.floor(left / 2)) {
      hash = nodeHash(this.#hashes.pop() ?? hash, hash);
    }
    this.#hashes.push(hash);
    this.#size++;
  }

  /** The root of the tree, hex. */
  root(): string {
    const last = this.#hashes.at(-1);
    if (last === undefined) return EMPTY;
    const root = this.#hashes.slice(0, -1).reduceRight(
      (right, left) => nodeHash(left, right),
      last,
    );
    return root.toHex();
  }

  /** The hashes, hex, separated by commas. */
  toString(): string {
    return this.#hashes.map((hash) => hash.toHex()).join(",");
  }
}

/** The hash of a node by those of what is left and right of it, hex. */
export function parentHash(left: string, right: string): string {
  return nodeHash(Uint8Array.fromHex(left), Uint8Array.fromHex(right)).toHex();
}

const HASH = /^[0-9a-f]{64}$/;
/** In either case: so it was taken from the beginning. */
const LEAF = /^[0-9a-f]{64}$/i;
/** The root of a tree without leaves. */
const EMPTY = createHash("sha256").digest("hex");
/** Room for what a node is hashed of: a byte that says so, and two hashes. */
const node = new Uint8Array(65).fill(1);
const start = digest.create();
const working = digest.create();

/** Leaves nothing of the runtime's behind: a batch of rows makes hundreds. */
function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1);
  node.set(right, 33);
  const hash = new Uint8Array(32);
  start._cloneInto(working).update(node).digestInto(hash);
  return hash;
}

/** How many bits of a number are set. */
function ones(n: number): number {
  let count = 0;
  for (let left = n; left > 0; left = Math.floor(left / 2)) count += left % 2;
  return count;
}
