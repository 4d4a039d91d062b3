import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/** The hash of one entry of a log, as RFC 6962 (2.1) says: SHA-256 of a zero byte and the entry. Hex. */
export function leafHash(entry: Uint8Array): string {
  return bytesToHex(sha256.create().update(LEAF).update(entry).digest());
}

/**
 * The right edge of a Merkle tree of RFC 6962: the roots of the whole subtrees that its size is made of, the largest
 * first. It takes further leaves and gives the root without those that came before.
 */
export class Frontier {
  #size: number;
  readonly #hashes: string[];

  /** `text`: as toString wrote it for this size. Throws where it has not as many hashes as the size is made of. */
  constructor(size = 0, text = "") {
    const hashes = text === "" ? [] : text.split(",");
    if (hashes.length !== ones(size) || !hashes.every((hash) => HASH.test(hash))) {
      throw new RangeError(`no frontier of ${size} leaves`);
    }
    this.#size = size;
    this.#hashes = hashes;
  }

  /** How many leaves the tree has. */
  get size(): number {
    return this.#size;
  }

  /** Adds the leaf whose hash this is. */
  add(leaf: string): void {
    let hash = leaf;
    // Two subtrees of one size become one of the next.
    for (let left = this.#size; left % 2 === 1; left = Math.floor(left / 2)) {
      hash = nodeHash(this.#hashes.pop() ?? "", hash);
    }
    this.#hashes.push(hash);
    this.#size++;
  }

  /** The root of the tree, hex. */
  root(): string {
    const last = this.#hashes.at(-1);
    if (last === undefined) return EMPTY;
    return this.#hashes.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
  }

  /** The hashes, hex, separated by commas. */
  toString(): string {
    return this.#hashes.join(",");
  }
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const HASH = /^[0-9a-f]{64}$/;
/** The root of a tree without leaves. */
const EMPTY = bytesToHex(sha256(new Uint8Array()));

function nodeHash(left: string, right: string): string {
  const node = sha256.create().update(NODE).update(hexToBytes(left)).update(hexToBytes(right));
  return bytesToHex(node.digest());
}

/** How many bits of a number are set. */
function ones(n: number): number {
  let count = 0;
  for (let left = n; left > 0; left = Math.floor(left / 2)) count += left % 2;
  return count;
}
