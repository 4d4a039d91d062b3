/**
 * Each recipe of CONTRIBUTING.md is followed in a copy of the repository: it takes as many files by
 * hand as it says, what is generated is made of it, and its tests pass.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { migrations } from "../../../src/storage/migrations/list.ts";
import { repository } from "../../support/command.ts";
import { type Recipe, recipes } from "./recipes.ts";

const COPIED = ["bin", "console", "docs", "packages", "src", "test", "tools"];
const FILES = ["CHANGELOG.md", "deno.json", "package.json"];

async function copyTo(folder: string): Promise<void> {
  const { success } = await new Deno.Command("cp", {
    args: ["-a", ...[...COPIED, ...FILES].map((name) => join(repository, name)), folder],
  }).output();
  assert.ok(success);
  await Deno.symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  // The workspace's other members are not there.
  const path = join(folder, "deno.json");
  const { workspace: _, ...config } = JSON.parse(await Deno.readTextFile(path));
  await Deno.writeTextFile(path, JSON.stringify({ ...config, workspace: ["./console"] }));
}

async function follow(folder: string, { edits }: Recipe): Promise<void> {
  for (const { file, behind, before, text } of edits) {
    const path = join(folder, file);
    const place = behind ?? before;
    if (place === undefined) {
      await Deno.mkdir(dirname(path), { recursive: true });
      await Deno.writeTextFile(path, text);
      continue;
    }
    const parts = (await Deno.readTextFile(path)).split(place);
    assert.equal(parts.length, 2, `${file} has ${JSON.stringify(place)} once`);
    const told = text.replaceAll("NEXT", String((migrations.at(-1)?.version ?? 0) + 1));
    const put = behind === undefined ? told + place : place + told;
    await Deno.writeTextFile(path, parts.join(put));
  }
}

async function run(folder: string, program: string, ...args: string[]): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: folder,
    env: { TEST_ENGINES: "sqlite" },
  }).output();
  const said = new TextDecoder();
  assert.ok(success, `${args.join(" ")}\n${said.decode(stdout)}${said.decode(stderr)}`);
}

for (const [name, recipe] of Object.entries(recipes)) {
  Deno.test(`recipes: a ${name} takes ${recipe.files} files by hand, and works`, async () => {
    const files = new Set(recipe.edits.map(({ file }) => file));
    assert.equal(files.size, recipe.files, [...files].join("\n"));
    const folder = await Deno.makeTempDir();
    try {
      await copyTo(folder);
      await follow(folder, recipe);
      await run(folder, "node", "tools/generate.js", "--pages");
      await run(folder, Deno.execPath(), "test", "-A", "--no-check", "--quiet", ...recipe.tests);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
