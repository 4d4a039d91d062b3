import type { Destination, Fate } from "./destination.ts";

const LINE_END = 10;

/**
 * A file as the stream: a line for each row, which is the row's content. Written rows have reached
 * the disk. A file that was renamed, or is gone, is followed by a new one at the same path, whose
 * folder has to be there. A symbolic link, or anything else than a file, is refused.
 */
export function fileDestination(path: string, fate: Fate): Destination {
  let file: Deno.FsFile | undefined;
  /** Whether the last line has no end: what is next begins a new one. */
  let isTorn = false;
  const close = () => {
    file?.close();
    file = undefined;
  };
  const opened = async (): Promise<Deno.FsFile> => {
    const there = await statOf(path);
    if (there && !there.isFile) throw new Error("it is no regular file");
    if (file && there && await isSame(file, there)) return file;
    close();
    const fresh = await Deno.open(path, { read: true, append: true, create: true, mode: 0o600 });
    file = fresh;
    const now = await statOf(path);
    if (!now?.isFile || !await isSame(fresh, now)) throw new Error("it was replaced meanwhile");
    isTorn = await lacksLineEnd(fresh, now.size);
    return fresh;
  };
  return {
    write: async (rows) => {
      try {
        const to = await opened();
        if (rows.length === 0) return;
        const text = rows.map(({ content }) => `${content}\n`).join("");
        const bytes = new TextEncoder().encode(isTorn ? `\n${text}` : text);
        for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
        await to.syncData();
        isTorn = false;
      } catch (error) {
        close();
        throw error;
      }
      fate.kept(rows);
    },
    // Writing to a disk that hangs can't be interrupted.
    giveUp: () => {},
    close: () => Promise.resolve(close()),
  };
}

async function statOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function isSame(file: Deno.FsFile, there: Deno.FileInfo): Promise<boolean> {
  const { ino, dev } = await file.stat();
  return ino === there.ino && dev === there.dev;
}

async function lacksLineEnd(file: Deno.FsFile, size: number): Promise<boolean> {
  if (size === 0) return false;
  await file.seek(-1, Deno.SeekMode.End);
  const last = new Uint8Array(1);
  await file.read(last);
  return last[0] !== LINE_END;
}
