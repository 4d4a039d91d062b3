import { createReadStream } from "node:fs";
import { lstat, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../../../kernel/durable-file.ts";
import { randomBytes, toHex } from "../../../kernel/ids.ts";

/** Of the first line: no hash is called so. */
export const MARK = "keydesk";
/** Characters that are written at once. */
const PIECE = 64 * 1024;

/** A change of a map: the entry of a hash; undefined: it goes. */
type MapChanges = ReadonlyMap<string, string | undefined>;

type Line = readonly [hash: string, entry: string];

/**
 * The file of a map: a line `hash entry` for each key, in the order of hashes, below a line with
 * the map's mark. It is read and written in a stream: a million keys take no more memory than ten.
 */
export class MapFile {
  constructor(readonly path: string) {}

  /** The mark; "": the file is empty, undefined: it is not there. Throws where it is not ours. */
  async mark(): Promise<string | undefined> {
    for await (const [first] of this.#groups()) {
      if (first?.[0] !== MARK) throw new Error("its file has another form");
      return first[1];
    }
    return await this.#isThere() ? "" : undefined;
  }

  /** Every hash with its entry, in groups. */
  async *entries(): AsyncGenerator<Line[], void, void> {
    for await (const group of this.#groups()) yield group.filter(([hash]) => hash !== MARK);
  }

  /** The entries of these hashes. */
  async find(hashes: { has(hash: string): boolean; size: number }): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for await (const group of this.entries()) {
      for (const [hash, entry] of group) if (hashes.has(hash)) found.set(hash, entry);
      if (found.size === hashes.size) break;
    }
    return found;
  }

  /**
   * Puts a file with these changes in its place, whole or not at all; when this returns, it has
   * reached the disk. Nothing is written where nothing changes. Gives the marks before and after.
   */
  async change(changes: MapChanges): Promise<{ before: string; after: string }> {
    const before = await this.mark();
    if (!before) throw new Error("its file was taken away");
    const found = await this.find(changes);
    const isNews = [...changes].some(([hash, entry]) => found.get(hash) !== entry);
    if (!isNews) return { before, after: before };
    const after = nextMark(before);
    await writeInPlace(this.path, merged(this.entries(), changes, after));
    return { before, after };
  }

  /** Begins anew without a key, under another name. */
  async empty(name: string): Promise<void> {
    await writeInPlace(this.path, merged([], new Map(), `${name}.1`));
  }

  async #isThere(): Promise<boolean> {
    try {
      if (!(await lstat(this.path)).isFile()) throw new Error("its file is no plain file");
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
      throw error;
    }
  }

  async *#groups(): AsyncGenerator<Line[], void, void> {
    if (!await this.#isThere()) return;
    const pieces = createReadStream(this.path, { encoding: "utf8", highWaterMark: PIECE });
    let rest = "";
    for await (const piece of pieces) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      if (lines.length > 0) yield lines.map(lineOf);
    }
    if (rest !== "") throw new Error("its file ends within a line");
  }
}

/** The name in a mark, which stays as long as the file is changed and not begun anew. */
export function nameIn(mark: string): string {
  return mark.split(".")[0] ?? "";
}

/** A mark counts the files of its name, so that a proxy tells which of them it has read. */
function nextMark(mark: string): string {
  return `${nameIn(mark)}.${Number(mark.split(".")[1]) + 1}`;
}

function lineOf(text: string): Line {
  const at = text.indexOf(" ");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The lines of the next file: two sorted lists become one. */
async function* merged(
  before: AsyncIterable<Line[]> | Iterable<Line[]>,
  changes: MapChanges,
  mark: string,
): AsyncGenerator<string, void, void> {
  yield `${MARK} ${mark}\n`;
  const news = [...changes].sort(([a], [b]) => a < b ? -1 : 1);
  let next = 0;
  const newsBefore = (hash: string | undefined) => {
    let text = "";
    for (let one = news[next]; one && (hash === undefined || one[0] < hash); one = news[++next]) {
      if (one[1] !== undefined) text += `${one[0]} ${one[1]}\n`;
    }
    return text;
  };
  for await (const group of before) {
    let text = "";
    for (const [hash, entry] of group) {
      text += newsBefore(hash);
      if (!changes.has(hash)) text += `${hash} ${entry}\n`;
    }
    yield text;
  }
  yield newsBefore(undefined);
}

/**
 * Writes a file beside a path and puts it in its place once it has reached the disk. Proxies of
 * other users may read it: it holds hashes of keys that no one can guess. A link is replaced, never
 * followed.
 */
export async function writeInPlace(path: string, lines: AsyncIterable<string>): Promise<void> {
  const draft = `${path}.${toHex(randomBytes(6))}.new`;
  await removeDrafts(path);
  try {
    const file = await open(draft, "wx", 0o644);
    try {
      let piece = "";
      for await (const line of lines) {
        piece += line;
        if (piece.length < PIECE) continue;
        await file.writeFile(piece);
        piece = "";
      }
      await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await syncFolder(path);
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Removes the drafts of killed servers. A slow writer whose turn is over loses its draft too. */
async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(path);
  const drafts = (await readdir(folder)).filter((name) =>
    name.startsWith(`${basename(path)}.`) && name.endsWith(".new")
  );
  for (const name of drafts) await rm(join(folder, name), { force: true });
}
