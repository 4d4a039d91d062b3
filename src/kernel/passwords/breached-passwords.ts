import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

/** Bytes read at once: a line, and what is left of the one before it. */
const WINDOW = 256;
/** Hexadecimal digits of a SHA-1. */
const DIGITS = 40;

/**
 * Whether a password is in a file of breached ones: their SHA-1 in hexadecimal digits, one a line
 * in ascending order, with whatever is behind it (`:` and how often, as Have I Been Pwned gives
 * them). The file is asked some 40 times and never read whole. Throws where it can't be read.
 */
export async function isBreached(file: string, password: string): Promise<boolean> {
  const wanted = createHash("sha1").update(password).digest("hex").toUpperCase();
  const handle = await open(file);
  try {
    let from = 0;
    let to = (await handle.stat()).size;
    // The line that may be it begins at `from` or behind it, and before `to`.
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const line = await lineFrom(handle, middle, from);
      if (line === undefined || line.start >= to) {
        to = middle;
        continue;
      }
      if (line.hash === wanted) return true;
      if (line.hash < wanted) from = line.end;
      else to = middle;
    }
    return false;
  } finally {
    await handle.close();
  }
}

/** The first line that begins at a place or behind it; undefined: there is none. */
async function lineFrom(handle: FileHandle, place: number, first: number) {
  // The start of a line is known only for the first one.
  const at = place === first ? place : place - 1;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(WINDOW), 0, WINDOW, at);
  const text = buffer.toString("latin1", 0, bytesRead);
  const begin = place === first ? 0 : text.indexOf("\n") + 1;
  if ((begin === 0 && place !== first) || text.length < begin + DIGITS) return undefined;
  const end = text.indexOf("\n", begin);
  return {
    start: at + begin,
    end: at + (end < 0 ? text.length : end + 1),
    hash: text.slice(begin, begin + DIGITS).toUpperCase(),
  };
}
