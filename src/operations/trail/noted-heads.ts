import { readCheckpoint, type TreeHead } from "../../kernel/checkpoint.ts";
import { addInFolder, readFileIfThere } from "../../kernel/durable-file.ts";

/**
 * Adds checkpoints at the end of a file, as `keydesk audit head` prints them. Its folder has to be
 * there.
 */
export async function noteHeads(path: string, checkpoints: readonly string[]): Promise<void> {
  await addInFolder(path, checkpoints.map((note) => `${note}\n`).join(""));
}

/**
 * The last head of each log among the checkpoints of a file; also of one that holds lines `trail
 * head` of a server's log. None where the file is not there, or holds no checkpoint.
 */
export async function readNotedHeads(path: string): Promise<TreeHead[]> {
  const text = (await readFileIfThere(path) ?? "").replaceAll("\\n", "\n");
  const heads = new Map<string, TreeHead>();
  for (const [note] of text.matchAll(NOTE)) {
    const { head } = readCheckpoint(`${note}\n`, []);
    heads.set(head.origin, head);
  }
  return [...heads.values()];
}

/** What is signed of a checkpoint: origin, size and root. */
const NOTE = /keydesk\/[^\s"]+\n[1-9]\d{0,14}\n[A-Za-z0-9+/]{43}=\n/g;
