/** Where tests keep stores that need not outlive a power cut. */
import { statfs } from "node:fs/promises";

/** The file system in memory that Linux has. */
const MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * A new folder in memory where that serves, else in the temporary folder. What a test asserts of a
 * flush is that it was asked for, not that a disk took its time. A program that Deno starts with
 * few grants may not go there: it counts what lies below /dev among what opens the machine.
 */
export async function makeStoreFolder(prefix: string): Promise<string> {
  const dir = await memoryFolder();
  return await Deno.makeTempDir({ prefix, ...dir === undefined ? {} : { dir } });
}

/**
 * The folder in memory where there is room in it, unless TMPDIR says where to keep what is
 * temporary. A database is hundreds of files: some file systems take their time to make them, and
 * to forget them.
 */
export async function memoryFolder(): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.env.get("TMPDIR")) return undefined;
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    const room = Math.min(bavail * bsize, Deno.systemMemoryInfo().available);
    return room > NEEDED_BYTES ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}
