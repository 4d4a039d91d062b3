import { Frontier, parentHash } from "./merkle.ts";

/** A log as its tree is computed from it. */
export interface LogLeaves {
  /** How many entries retention has cut, and the frontier of the tree of these. */
  readonly cut_size: number;
  readonly cut_frontier: string;
  /** The hashes of entries, from a place to shortly before another, at most BLOCK of them. */
  hashes(range: { from: number; to: number }): Promise<string[]>;
  /** Awaited between blocks, so that other work has its turn; absent: it has none. */
  pause?(): Promise<void>;
  /** Roots of whole blocks, by their first place: computed before, or being computed. */
  readonly blocks: KnownBlocks;
}

/** Roots of whole blocks of one log, hex. Concurrent readers of one block share one read. */
export type KnownBlocks = Map<number, string | Promise<string>>;

/** Roots of whole blocks, by store and organisation: never of another store, and gone with it. */
const known = new WeakMap<object, Map<string, KnownBlocks>>();

/** The known blocks of an organisation's log in this store. */
export function blocksOf(store: object, org_id: string): KnownBlocks {
  const ofStore = known.get(store) ?? new Map<string, KnownBlocks>();
  known.set(store, ofStore);
  const blocks: KnownBlocks = ofStore.get(org_id) ?? new Map();
  ofStore.set(org_id, blocks);
  return blocks;
}

/** Entries of a block whose root is kept: a log only grows, so it never changes. */
export const BLOCK = 1024;

/**
 * The Merkle tree of a log (RFC 6962, 2.1). Entries that are missing count as zeros, so whatever is
 * made of it then fits no root that was signed.
 */
export class LogTree {
  readonly #log: LogLeaves;
  /** The roots of the subtrees that the cut part is made of, by their first places. */
  readonly #cut: ReadonlyMap<number, string>;

  constructor(log: LogLeaves) {
    this.#log = log;
    this.#cut = subtreesOf(log.cut_size, log.cut_frontier);
  }

  /** The root of the entries of a stretch that is a subtree. */
  async root(from: number, to: number): Promise<string> {
    const { cut_size, blocks } = this.#log;
    const isBlock = to - from === BLOCK;
    const known = isBlock ? blocks.get(from) : undefined;
    if (known !== undefined) return await known;
    if (to <= cut_size && this.#cut.has(from)) return this.#cut.get(from) ?? MISSING;
    if (to - from > BLOCK || (from < cut_size && to - from > 1)) {
      const middle = from + half(to - from);
      return parentHash(await this.root(from, middle), await this.root(middle, to));
    }
    if (!isBlock) return await this.#read(from, to);
    const reading = this.#read(from, to);
    blocks.set(from, reading);
    let root = MISSING;
    try {
      root = await reading;
    } finally {
      if (root === MISSING) blocks.delete(from);
      else blocks.set(from, root);
    }
    return root;
  }

  async #read(from: number, to: number): Promise<string> {
    await this.#log.pause?.();
    const hashes = await this.#log.hashes({ from, to });
    if (hashes.length !== to - from) return MISSING;
    const frontier = new Frontier();
    for (const hash of hashes) frontier.add(hash);
    return frontier.root();
  }
}

const MISSING = "0".repeat(64);

/** The largest power of two that is smaller. */
function half(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The subtrees that a size is made of, the largest first, by where each begins. */
function subtreesOf(size: number, frontier: string): ReadonlyMap<number, string> {
  const roots = new Map<number, string>();
  const hashes = frontier === "" ? [] : frontier.split(",");
  let from = 0;
  for (const hash of hashes) {
    let n = 1;
    while (n * 2 <= size - from) n *= 2;
    roots.set(from, hash);
    from += n;
  }
  return roots;
}

/**
 * The proof that the tree of the first `size` entries begins with that of the first `old` ones (RFC
 * 6962, 2.1.2), hex; none where one of both is all or nothing of the other.
 */
export async function consistencyProof(
  log: LogLeaves,
  old: number,
  size: number,
): Promise<string[]> {
  if (old === 0 || old === size) return [];
  const tree = new LogTree(log);
  const proof: string[] = [];
  let [from, to] = [0, size];
  for (let left = old; left < to - from;) {
    const k = half(to - from);
    if (left <= k) {
      proof.push(await tree.root(from + k, to));
      to = from + k;
    } else {
      proof.push(await tree.root(from, from + k));
      from += k;
      left -= k;
    }
  }
  // A range that begins at the first entry is the old tree itself, which every verifier has.
  if (from > 0) proof.push(await tree.root(from, to));
  return proof.reverse();
}

/**
 * The sibling of each node on the way from an entry to the root of the tree of the first `size`
 * entries (RFC 6962, 2.1.1), from the leaf up. Reads every entry at the first time, later the block
 * of the entry and what is new. Entries that are missing count as zeros, so the path leads to no
 * root that was signed.
 */
export async function auditPath(
  log: LogLeaves,
  leaf_index: number,
  size: number,
): Promise<string[]> {
  const tree = new LogTree(log);
  const path: string[] = [];
  for (let [from, to] = [0, size]; to - from > 1;) {
    const middle = from + half(to - from);
    if (leaf_index < middle) {
      path.push(await tree.root(middle, to));
      to = middle;
    } else {
      path.push(await tree.root(from, middle));
      from = middle;
    }
  }
  return path.reverse();
}
