/** A real disk of a size that a test can fill: ext4 in a file, mounted in a folder of its own. */
import assert from "node:assert/strict";
import { eventually } from "../../test/support/eventually.ts";

const PIECE = new Uint8Array(4096);

/** The disk while it is mounted. */
export interface SmallDisk extends AsyncDisposable {
  /** Where it is mounted. */
  readonly folder: string;
  /** Fills it, to the last block that others leave. */
  fill(): Promise<void>;
  /** Takes away what filled it. */
  clear(): Promise<void>;
}

/** Makes such a disk of so many MiB; needs root, as who mounts does. */
export async function mountSmallDisk(mib: number): Promise<SmallDisk> {
  const place = await Deno.makeTempDir({ prefix: "keydesk-disk-" });
  const image = `${place}/image`;
  const folder = `${place}/disk`;
  await Deno.mkdir(folder);
  await (await Deno.create(image)).truncate(mib * 1024 * 1024);
  // Nothing is kept for root: that would be room that nobody else has.
  await run("mkfs.ext4", "-q", "-F", "-m", "0", image);
  await run("mount", "-o", "loop", image, folder);
  const filling = `${folder}/filling`;
  return {
    folder,
    fill: async () => {
      for (;;) {
        using file = await Deno.open(filling, { create: true, append: true });
        const before = (await file.stat()).size;
        try {
          for (;;) await file.write(PIECE);
        } catch (error) {
          assert.match(String(error), /os error 28/);
        }
        if ((await file.stat()).size === before) return;
        await file.sync().catch(() => {});
      }
    },
    clear: () => Deno.remove(filling),
    [Symbol.asyncDispose]: async () => {
      // A process that has just ended may hold it for a moment more.
      await eventually("it is let go of", async () => (await tried("umount", folder)).success);
      await Deno.remove(place, { recursive: true });
    },
  };
}

async function run(command: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await tried(command, ...args);
  assert.ok(success, `${command}: ${new TextDecoder().decode(stderr)}`);
}

async function tried(command: string, ...args: string[]): Promise<Deno.CommandOutput> {
  return await new Deno.Command(command, { args, stdout: "null", stderr: "piped" }).output();
}
