import { readFileIfThere, syncFolder } from "./durable-file.ts";
import { randomBytes, toHex } from "./ids.ts";

/**
 * The text of a file that only its owner may read (mode 0600), written on the first call and read
 * on every later one. Of several processes that call at once, one writes and all read the same.
 * When this returns, the file has reached the disk. `created` tells whether this call wrote it.
 */
export async function readOrCreateSecretFile(
  path: string,
  make: () => string,
): Promise<{ text: string; created: boolean }> {
  const known = await readFileIfThere(path);
  if (known !== undefined) return { text: known, created: false };
  const draft = `${path}.${toHex(randomBytes(6))}.new`;
  const text = make();
  try {
    const file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    try {
      await file.write(new TextEncoder().encode(text));
      await file.sync();
    } finally {
      file.close();
    }
    // A link is made whole or not at all, and never over a file that is there already.
    await Deno.link(draft, path);
    await syncFolder(path);
    return { text, created: true };
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return { text: await Deno.readTextFile(path), created: false };
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
}
