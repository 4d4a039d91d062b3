/** What stands in deploy/ names settings and files that there are. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { settingsTable } from "../../src/settings-table.ts";
import { repository } from "../support/command.ts";

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else yield join(folder, name);
  }
}

Deno.test("deploy: every setting that a file names is one", async () => {
  const known = new Set(settingsTable().map(({ name }) => name));
  let found = 0;
  for await (const file of filesBelow(join(repository, "deploy"))) {
    for (const [name] of (await Deno.readTextFile(file)).matchAll(/KEYDESK_[A-Z_]*[A-Z]/g)) {
      assert.ok(known.has(name), `${file}: ${name}`);
      found++;
    }
  }
  assert.ok(found > 20);
});

Deno.test("deploy: every page and file of the repository that a file names is there", async () => {
  for await (const file of filesBelow(join(repository, "deploy"))) {
    const text = await Deno.readTextFile(file);
    for (const [path] of text.matchAll(/(?<![\w/])(docs|deploy|system|test)\/[\w./@-]+\w/g)) {
      await Deno.stat(join(repository, path)).catch(() => assert.fail(`${file}: ${path}`));
    }
  }
});

Deno.test("deploy: the compose file's secrets are those that its services name, and it waits for the database", async () => {
  const text = await Deno.readTextFile(join(repository, "deploy/compose.yaml"));
  const named = new Set(
    [...text.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, name = ""]) => name),
  );
  for (const name of named) {
    assert.ok(text.includes(`\n  ${name}: { file: secrets/${name} }\n`), name);
    assert.ok(text.includes(`>secrets/${name}\n`), `how ${name} is made`);
  }
  assert.equal(named.size, 3);
  assert.match(text, /postgres: \{ condition: service_healthy \}/);
  assert.doesNotMatch(text, /PASSWORD: /);
  const [, file = ""] = /dockerfile: (\S+)/.exec(text) ?? [];
  await Deno.stat(join(dirname(join(repository, "deploy")), file));
});
