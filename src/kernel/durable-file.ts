import { dirname } from "node:path";
import { randomBytes, toHex } from "./ids.ts";

/**
 * Puts a text into a file that its owner alone may read (mode 0600), whole or not at all: anyone
 * who reads it meanwhile has the one before. When this returns, it has reached the disk.
 */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${toHex(randomBytes(6))}.new`;
  await makeFolder(path);
  try {
    const file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    try {
      await writeAll(file, text);
    } finally {
      file.close();
    }
    await Deno.rename(draft, path);
    await syncFolder(path);
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
}

/** Adds a text at the end of a file, which is made (mode 0600); then it has reached the disk. */
export async function addToFile(path: string, text: string): Promise<void> {
  await makeFolder(path);
  await addInFolder(path, text);
}

/** Adds a file to a folder that has to exist: one that was to be mounted is never made. */
export async function addInFolder(path: string, text: string): Promise<void> {
  const file = await Deno.open(path, { append: true, create: true, mode: 0o600 });
  try {
    await writeAll(file, text);
  } finally {
    file.close();
  }
}

/** The text of a file; undefined where there is none. */
export async function readFileIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** If settings have every secret and the store is remote, no other code has made it. */
async function makeFolder(path: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
}

/** Writes a text into an open file; then it has reached the disk. */
export async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  await file.sync();
}

/** Flushes the folder's entry of a new file. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await Deno.open(path.slice(0, path.lastIndexOf("/")) || ".").catch(() =>
    undefined
  );
  if (!folder) return; // Windows opens no folders; there the link is enough.
  try {
    await folder.sync();
  } finally {
    folder.close();
  }
}
