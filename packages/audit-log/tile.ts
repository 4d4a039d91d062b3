import { Frontier } from "./merkle.ts";
import { type LogLeaves, LogTree } from "./log-tree.ts";

/** Hashes of a full tile (C2SP tlog-tiles). */
const FULL = 256;

/** A stretch of the nodes of one level of a log's tree (C2SP tlog-tiles). */
interface Tile {
  /** 0: of the entries themselves; each further one stands for 256 of the level below. */
  readonly level: number;
  readonly index: number;
  /** How many hashes: 256, or fewer at the end of the log. */
  readonly width: number;
}

/** The tile that a path such as `0/x001/x234/067` or `1/000.p/5` names; else undefined. */
export function parseTile(path: string): Tile | undefined {
  const [, level = "", index = "", width = String(FULL)] = PATH.exec(path) ?? [];
  const tile = {
    level: Number(level),
    index: Number(index.replaceAll(/[x/]/g, "")),
    width: Number(width),
  };
  return level !== "" && tile.width <= FULL && pathOf(tile) === path ? tile : undefined;
}

const PATH = /^(\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/;

/** The path of a tile. It is unique. */
function pathOf({ level, index, width }: Tile): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, "0");
  const parts = digits.match(/\d{3}/g) ?? [];
  const name = parts.map((part, n) => n < parts.length - 1 ? `x${part}` : part).join("/");
  return `${level}/${name}${width === FULL ? "" : `.p/${width}`}`;
}

/**
 * The hashes of a tile one after the other, 32 bytes each; undefined where a log of `size` entries
 * has no such tile, or has it no longer because retention has cut what it is made of.
 */
export async function hashesOf(
  log: LogLeaves,
  size: number,
  { level, index, width }: Tile,
): Promise<Uint8Array | undefined> {
  const each = FULL ** level;
  const from = index * FULL * each;
  const to = from + width * each;
  if (width === 0 || to > size || from < log.cut_size) return undefined;
  const tree = new LogTree(log);
  const hashes = new Uint8Array(width * 32);
  if (level === 0) {
    const leaves = await log.hashes({ from, to });
    if (leaves.length !== width) return undefined;
    leaves.forEach((leaf, n) => hashes.set(bytesOf(leaf), n * 32));
    return hashes;
  }
  for (let n = 0; n < width; n++) {
    const root = await tree.root(from + n * each, from + (n + 1) * each);
    hashes.set(Uint8Array.fromHex(root), n * 32);
  }
  return hashes;
}

/** A leaf's hash; zeros for what is none, as somebody may have put it into a store. */
function bytesOf(leaf: string): Uint8Array {
  const alone = new Frontier();
  alone.add(leaf);
  return Uint8Array.fromHex(alone.root());
}
