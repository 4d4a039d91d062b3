/** The npm package as it is published: packed once a run, which builds `dist/` too. */
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { repository, run } from "../../test/support/command.ts";
import { madeOnce } from "./made-once.ts";

/** The path of the tarball. */
export async function packed(): Promise<string> {
  const folder = await madeOnce("package", async (made) => {
    await mustRun(["npm", "pack", "--pack-destination", made], repository);
  });
  return join(folder, `keydesk-${manifest.version}.tgz`);
}

/** The paths of the files in it. */
export async function packedFiles(): Promise<string[]> {
  const { stdout } = await mustRun(["tar", "--list", "--gzip", "--file", await packed()]);
  return stdout.trim().split("\n").map((path) => path.replace(/^package\//, ""));
}

/** The text of a file in it; of several one after the other. */
export async function packedText(...paths: string[]): Promise<string> {
  const words = ["--extract", "--to-stdout", "--gzip", "--file", await packed()];
  return (await mustRun(["tar", ...words, ...paths.map((path) => join("package", path))])).stdout;
}

/** A project that has the tarball installed, without install scripts: once a run. */
export async function installed(): Promise<string> {
  return await madeOnce("installed", async (made) => {
    await Deno.writeTextFile(join(made, "package.json"), '{"private":true}');
    const words = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    await mustRun(["npm", "install", ...words, await packed()], made);
  });
}

/**
 * Makes the folder such a project of its own, with what `manifest` adds to its package.json. The
 * files are those of `installed`, by further names: nobody may write to one.
 */
export async function installPacked(project: string, manifest: object): Promise<void> {
  await mustRun(["cp", "--archive", "--link", await installed(), project]);
  const file = join(project, "package.json");
  const made = JSON.parse(await Deno.readTextFile(file));
  await Deno.remove(file);
  await Deno.writeTextFile(file, JSON.stringify({ ...made, ...manifest }));
}

/** Runs a command to its end. Throws, with what it said, where it failed. */
export async function mustRun(command: readonly string[], cwd = repository) {
  const ended = await run(command, { cwd });
  if (ended.code !== 0) throw new Error(`${command.join(" ")}: ${ended.stdout}${ended.stderr}`);
  return ended;
}
