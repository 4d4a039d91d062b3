/** What the launcher tells itself is what the program would, to the byte. */
import assert from "node:assert/strict";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { told } from "../../bin/told.js";
import { version } from "../../src/kernel/version.ts";
import { helpFileText } from "../../tools/help-file.ts";
import { temporaryFolder } from "../support/command.ts";
import { runHere } from "../support/terminal.ts";

const text = await helpFileText();
const paths = Object.keys(JSON.parse(text)).map((path) => path.split(" ").filter(Boolean));

/** No room to break a line, the least there is, what scripts have, and a wide window. */
const WIDTHS = [0, 39, 40, 61, 80, 117, 400];

Deno.test("told: the help of every command at every width is the program's", async () => {
  await using folder = await installed();
  assert.ok(paths.length > 80);
  for (const path of paths) {
    for (const width of WIDTHS) {
      const words = [...path, "--help"];
      const { code, stdout, stderr } = await runHere(words, {}, "", width);
      assert.equal(told(words, width, folder.path), stdout, `${words.join(" ")} at ${width}`);
      assert.deepEqual([code, stderr], [0, ""]);
    }
  }
});

Deno.test("told: however the help is asked for, it is the same", async () => {
  await using folder = await installed();
  for (const path of paths) {
    const said = told([...path, "--help"], 80, folder.path);
    for (const words of [[...path, "-h"], ["help", ...path]]) {
      assert.equal(told(words, 80, folder.path), said);
      assert.equal((await runHere(words, {})).stdout, said, words.join(" "));
    }
  }
});

Deno.test("told: the version is the program's, by each of its words", async () => {
  await using folder = await installed();
  for (const word of ["version", "--version", "-V"]) {
    assert.equal(told([word], 80, folder.path), `${version}\n`);
    assert.equal((await runHere([word], {})).stdout, `${version}\n`);
  }
});

Deno.test("told: all other words are the program's to answer", async () => {
  await using folder = await installed();
  const others = [
    "",
    "keys",
    "serve",
    "completion",
    "keys list",
    "constructor --help",
    "help keys nothing",
    "nothing --help",
    "keys --help --json",
    "version now",
    "keys list x --help",
    "keys version",
  ];
  for (const words of others) {
    assert.equal(told(words.split(" ").filter(Boolean), 80, folder.path), undefined, words);
  }
});

Deno.test("told: no help where none was written down, and none of before a change in a clone", async () => {
  await using folder = await installed();
  const help = () => told(["--help"], 80, folder.path);
  const at = (path: string) => join(folder.path, path);
  assert.match(help() ?? "", /^Usage: keydesk/);
  await mkdir(at("src/cli"), { recursive: true });
  await writeFile(at("src/cli/keys.ts"), "");
  for (const path of ["src/cli/keys.ts", "src/cli", "src", "package.json"]) {
    await utimes(at(path), 1, 1);
  }
  assert.match(help() ?? "", /^Usage: keydesk/);
  for (const path of ["src/cli/keys.ts", "src/cli", "package.json"]) {
    await utimes(at(path), new Date(), new Date(Date.now() + 10_000));
    assert.equal(help(), undefined, path);
    await utimes(at(path), 1, 1);
  }
  assert.match(help() ?? "", /^Usage: keydesk/);
  await Deno.remove(at("dist/help.json"));
  assert.equal(help(), undefined);
});

/** A folder as a package is installed, with the help and without a program. */
async function installed() {
  const folder = await temporaryFolder();
  await mkdir(join(folder.path, "dist"));
  await writeFile(join(folder.path, "dist/help.json"), text);
  await writeFile(join(folder.path, "package.json"), JSON.stringify({ version }));
  return folder;
}
