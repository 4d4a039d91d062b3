import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk } from "./command.ts";
import { clearAround } from "./plain-demo.ts";

/** By the hour, and whether they are plain. */
const seeded = new Map<string, Promise<string>>();

/**
 * Makes `folder` the data directory that `keydesk seed` leaves: seeded once for all tests of a
 * module, and copied with its sealing key and first access token, which are the same in all.
 * `isPlain`: as clearAround leaves it.
 */
export async function copySeeded(folder: string, isPlain = false): Promise<void> {
  // The demo's moments are counted from its seeding: those of this hour.
  const name = `${new Date().toISOString().slice(0, 13)} ${isPlain}`;
  const made = seeded.get(name) ?? seed(isPlain);
  seeded.set(name, made);
  const from = await made;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for await (const { name } of Deno.readDir(from)) {
    await Deno.copyFile(join(from, name), join(folder, name));
  }
}

async function seed(isPlain: boolean): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-seeded-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const { code, stderr } = await keydesk(["seed"], { KEYDESK_DATA_DIR: folder });
  assert.equal(code, 0, stderr);
  if (isPlain) await clearAround(folder);
  return folder;
}
