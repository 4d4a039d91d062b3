/**
 * What is made of the contracts, checked in or not, is what would be made now; and nothing that is
 * declared is left out.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FailureCode, failureCodes, ownMessageOf } from "../../src/kernel/failure-codes.ts";
import { transactions } from "../../src/transactions.ts";
import { declared } from "../../tools/discovered.ts";
import { MADE_FILES, STAMP } from "../../tools/generate.js";
import { madeFiles, madePages } from "../../tools/made-files.ts";
import { writeWhole } from "../../tools/whole-file.ts";
import { repository, temporaryFolder } from "../support/command.ts";

const found = await declared();
const read = (path: string) => readFileSync(join(repository, path), "utf8");

for (const { path, text } of [...madeFiles(found), ...madePages(found)]) {
  Deno.test(`${path} is what is made now; "npm run generate" makes it`, () => {
    assert.ok(read(path) === text, "it is an older one: npm run generate");
  });
}

Deno.test("generated files: git ignores each that is not a page, and the formatter leaves it alone", () => {
  const paths = madeFiles(found).map(({ path }) => path).sort();
  assert.deepEqual([...MADE_FILES].sort(), paths);
  assert.ok(paths.includes(STAMP));
  const ignored = read(".gitignore").split("\n");
  assert.deepEqual(paths.filter((path) => !ignored.includes(`/${path}`)), []);
  const left: string[] = JSON.parse(read("deno.json")).fmt.exclude;
  assert.deepEqual(paths.filter((path) => !left.includes(path)), []);
});

Deno.test("generated files: each state change that src/ defines is exported where it is found", () => {
  const src = join(repository, "src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !MADE_FILES.includes(`src/${path}`));
  const defined = files.flatMap((path) =>
    [...readFileSync(join(src, path), "utf8").matchAll(/\bdefineTransaction\(\s*"([^"]+)"/g)]
      .map(([, id]) => id)
  );
  assert.ok(defined.length > 100);
  assert.deepEqual(transactions.map(({ id }) => id).sort(), defined.sort());
});

Deno.test("generated files: one is written whole or not at all, and left alone where it says the same already", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "made", "list.ts");
  writeWhole(file, "first");
  await Deno.utime(file, 1, 1);
  writeWhole(file, "first");
  assert.equal((await Deno.stat(file)).mtime?.getTime(), 1000);
  writeWhole(file, "second");
  assert.equal(await Deno.readTextFile(file), "second");
  await Deno.remove(file);
  await Deno.mkdir(file);
  assert.throws(() => writeWhole(file, "third"));
  assert.deepEqual(readdirSync(join(folder.path, "made")), ["list.ts"]);
});

Deno.test("docs/errors.md tells of every failure code with its status", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/errors.md", import.meta.url));
  for (const [code, { status, message }] of Object.entries(failureCodes)) {
    // as: the table has no other names.
    const own = ownMessageOf(code as FailureCode).trim();
    const told = own === message.trim() ? own : `${message.trim()} Under \`/v1\`: ${own}`;
    assert.ok(text.includes(`| \`${code}\` | ${status} | ${told} |`), code);
  }
});
