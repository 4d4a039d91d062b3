import { readCheckpoint, type TreeHead } from "../../kernel/checkpoint.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { addInFolder, readFileIfThere } from "../../kernel/durable-file.ts";

/**
 * Adds checkpoints at the end of a file, as `keydesk audit head` prints them. Its folder has to be
 * there.
 */
export async function noteHeads(path: string, checkpoints: readonly string[]): Promise<void> {
  await addInFolder(path, checkpoints.map((note) => `${note}\n`).join(""));
}

/**
 * The last head of each log among the checkpoints of a file, and when it was written to; also of
 * one that holds lines `trail head` of a server's log. None where the file is not there, or holds
 * no checkpoint.
 */
export async function readNotedHeads(
  path: string,
): Promise<{ heads: TreeHead[]; writtenAt: string }> {
  const written = await readFileIfThere(path);
  if (written === undefined) return { heads: [], writtenAt: "" };
  const { mtime } = await Deno.stat(path);
  const text = written.replaceAll("\\n", "\n");
  const heads = new Map<string, TreeHead>();
  for (const [note] of text.matchAll(NOTE)) {
    const { head } = readCheckpoint(`${note}\n`, []);
    heads.set(head.origin, head);
  }
  return { heads: [...heads.values()], writtenAt: mtime === null ? "" : toTimestamp(+mtime) };
}

/** What is signed of a checkpoint: origin, size and root. */
const NOTE = /keydesk\/[^\s"]+\n[1-9]\d{0,14}\n[A-Za-z0-9+/]{43}=\n/g;
