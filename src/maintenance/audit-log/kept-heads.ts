import { join } from "node:path";
import { z } from "zod";
import { readFileIfThere, writeWholeFile } from "../../kernel/durable-file.ts";
import { Frontier } from "../../../packages/audit-log/merkle.ts";

/** The file in the data directory that holds the heads of the logs, outside of the store. */
export const HEADS_FILE = "trail-heads.json";

/** How far a log had come when a person looked. */
const keptHead = z.object({
  org_id: z.string(),
  size: z.int().min(0),
  /** Of the tree of its entries, as Frontier writes it: from here on the log can be followed. */
  frontier: z.string(),
  /** The newest checkpoint of the log then, signed; "": none. */
  checkpoint: z.string(),
  /** When it was looked at. */
  at: z.string(),
  /** When a person took the log as it stood then, whatever was known before; "": never. */
  accepted_at: z.string(),
});

const headsFile = z.object({
  v: z.literal(1),
  heads: z.array(keptHead),
  /**
   * The next look takes every log as it is, for this reason: the store was put back by a person at
   * the machine.
   */
  accept: z.object({ reason: z.string(), at: z.string() }).optional(),
});

export type KeptHead = z.output<typeof keptHead>;
export type HeadsFile = z.output<typeof headsFile>;

/** Thrown where the file is not what Keydesk writes. */
export class HeadsUnreadable extends Error {}

/** The heads that are kept; undefined where there is no such file. Throws HeadsUnreadable. */
export async function readHeads(folder: string): Promise<HeadsFile | undefined> {
  const path = join(folder, HEADS_FILE);
  const text = await readFileIfThere(path);
  if (text === undefined) return undefined;
  try {
    const file = headsFile.parse(JSON.parse(text));
    for (const head of file.heads) rootOf(head);
    return file;
  } catch (cause) {
    const message = `${path} is not as Keydesk writes it: remove it, and nothing is compared once`;
    throw new HeadsUnreadable(message, { cause });
  }
}

/** Puts the heads into the file, whole or not at all. */
export async function writeHeads(folder: string, file: Omit<HeadsFile, "v">): Promise<void> {
  await writeWholeFile(join(folder, HEADS_FILE), `${JSON.stringify({ v: 1, ...file }, null, 1)}\n`);
}

/**
 * Has the next look take every log as it is: a copy was put in the store's place. Nothing where no
 * heads are kept.
 */
export async function acceptAtNextLook(folder: string, reason: string, at: string): Promise<void> {
  const known = await readHeads(folder);
  if (known) await writeHeads(folder, { heads: known.heads, accept: { reason, at } });
}

/** The root of the tree that a head is of, hex. Throws RangeError where its frontier is none. */
export function rootOf({ size, frontier }: Pick<KeptHead, "size" | "frontier">): string {
  return new Frontier(size, frontier).root();
}
