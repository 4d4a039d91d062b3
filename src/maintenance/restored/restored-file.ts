import { join } from "node:path";
import { z } from "zod";
import { readFileIfThere, writeWholeFile } from "../../kernel/durable-file.ts";
import type { Ending } from "./ending.ts";

/** The file in the data directory that says what a store that was put back is to end again. */
const RESTORED_FILE = "restored.json";

const text = z.string();
const place = { org_id: text, id: text, at: text, name: text };

const ending: z.ZodType<Ending> = z.union([
  z.object({ of: z.literal("key"), what: z.enum(["revoked", "suspended"]), ...place }),
  z.object({ of: z.literal("key"), what: z.literal("expires"), expires_at: text, ...place }),
  z.object({ of: z.literal("access token"), what: z.literal("revoked"), ...place }),
  z.object({ of: z.literal("person"), what: z.enum(["deactivated", "suspended"]), ...place }),
  z.object({
    of: z.literal("person"),
    what: z.literal("narrowed"),
    permissions: text,
    covers: text.nullable(),
    ...place,
  }),
  z.object({ of: z.literal("developer"), what: z.literal("deactivated"), ...place }),
  z.object({
    of: z.literal("developer's token"),
    what: z.literal("revoked"),
    developer_id: text,
    ...place,
  }),
  z.object({ of: z.literal("one-time link"), what: z.literal("withdrawn"), ...place }),
]);

const restoredFile = z.object({
  v: z.literal(1),
  /** When it was put back. */
  at: text,
  /** The inode of the database that it is about: another one is none of its. Null: not known. */
  inode: z.number().nullable(),
  /** Whether the store that it replaced was at hand. */
  known: z.boolean(),
  /** True: a person said `--reopen`, and nothing is ended. */
  reopen: z.boolean(),
  endings: z.array(ending),
});

/** The work of the first start after a restore. */
type Restored = z.output<typeof restoredFile>;

/** Thrown where the file is not what Keydesk writes. */
class RestoredUnreadable extends Error {}

/** The unfinished restore; undefined: none. Throws RestoredUnreadable. */
export async function readRestored(folder: string): Promise<Restored | undefined> {
  const path = join(folder, RESTORED_FILE);
  const text = await readFileIfThere(path);
  if (text === undefined) return undefined;
  try {
    return restoredFile.parse(JSON.parse(text));
  } catch (cause) {
    const message =
      `${path} is not as \`keydesk restore\` writes it: run that once more, or remove the file, and what was revoked since the backup opens again`;
    throw new RestoredUnreadable(message, { cause });
  }
}

/** Keeps what is to be done; it has reached the disk when this returns. */
export async function writeRestored(
  folder: string,
  restored: Omit<Restored, "v">,
): Promise<void> {
  await writeWholeFile(join(folder, RESTORED_FILE), JSON.stringify({ v: 1, ...restored }));
}

/** Nothing more is to be done. */
export async function removeRestored(folder: string): Promise<void> {
  await Deno.remove(join(folder, RESTORED_FILE)).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
