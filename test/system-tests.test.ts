import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folders below `folder` that hold tests, as they stand in package.json. */
async function foldersWithTests(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(root, folder))) {
    if (isDirectory) found.push(...await foldersWithTests(`${folder}/${name}`));
    else if (name.endsWith(".test.ts")) found.push(dirname(`${folder}/${name}`));
  }
  return [...new Set(found)];
}

Deno.test("system: npm run test:system runs the tests of each folder", async () => {
  const { scripts, workspace } = {
    ...JSON.parse(await Deno.readTextFile(join(root, "package.json"))),
    ...JSON.parse(await Deno.readTextFile(join(root, "deno.json"))),
  };
  const words = scripts["test:system"].split(" ");
  for (const folder of await foldersWithTests("system")) {
    // Deno leaves out what stands beside a member of the workspace when the folder of both is named.
    const isMember = workspace.includes(`./${folder}`);
    assert.ok(words.includes(isMember ? folder : `${folder}/*.test.ts`), folder);
  }
});
