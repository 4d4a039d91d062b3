import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk } from "./command.ts";

let seeded: { hour: string; folder: Promise<string> } | undefined;

/**
 * Makes `folder` the data directory that `keydesk seed` leaves: seeded once for all tests of a
 * module, and copied with its sealing key and first access token, which are the same in all.
 */
export async function copySeeded(folder: string): Promise<void> {
  // The demo's moments are counted from its seeding: those of this hour.
  const hour = new Date().toISOString().slice(0, 13);
  if (seeded?.hour !== hour) seeded = { hour, folder: seed() };
  const from = await seeded.folder;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for await (const { name } of Deno.readDir(from)) {
    await Deno.copyFile(join(from, name), join(folder, name));
  }
}

async function seed(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-seeded-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const { code, stderr } = await keydesk(["seed"], { KEYDESK_DATA_DIR: folder });
  assert.equal(code, 0, stderr);
  return folder;
}
