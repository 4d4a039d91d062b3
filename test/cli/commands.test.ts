/** The words of the command line: help, usage errors, version. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import manifest from "../../package.json" with { type: "json" };
import { parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import { settingsTable } from "../../src/settings-table.ts";
import { keydesk, repository } from "../support/command.ts";

Deno.test("commands: version, in each of its forms", async () => {
  for (const word of ["version", "--version", "-V"]) {
    const { code, stdout } = await keydesk([word], {});
    assert.deepEqual([code, stdout], [0, `${manifest.version}\n`], word);
  }
});

Deno.test("commands: each option that a command needs is marked in its help, and no other", async () => {
  const marked = async (...words: string[]) =>
    [...(await keydesk([...words, "--help"], {})).stdout.matchAll(
      /^ +(--[\w-]+) .*(?:\n {10,}.*)*/gm,
    )]
      .filter(([text]) => /\(required\)/.test(text.replaceAll(/\s+/g, " ")))
      .map(([, name]) => name);
  assert.deepEqual(await marked("token", "create"), []);
  assert.deepEqual(await marked("roles", "add"), ["--allow"]);
  assert.deepEqual(await marked("keys", "revoke"), ["--reason"]);
  assert.deepEqual(await marked("developers", "rm"), ["--keys"]);
  assert.deepEqual(await marked("keys", "issue"), []);
});

Deno.test("commands: help goes to standard output with exit code 0 and shows examples", async () => {
  const every = [
    ["--help"],
    ["help"],
    ["serve", "--help"],
    ["seed", "--help"],
    ["token", "--help"],
    ["token", "create", "--help"],
    ["sealing-key", "--help"],
    ["requests", "--help"],
    ["requests", "approve", "--help"],
    ["developers", "--help"],
    ["plans", "--help"],
    ["keys", "--help"],
    ["keys", "issue", "--help"],
    ["doctor", "--help"],
    ["completion", "--help"],
    ["help", "requests", "approve"],
  ];
  for (const words of every) {
    const { code, stdout, stderr } = await keydesk(words, {});
    assert.deepEqual([code, stderr], [0, ""], words.join(" "));
    assert.match(stdout, /Example|TOKEN=/, words.join(" "));
  }
});

Deno.test("commands: the help of serve explains every setting", async () => {
  const { stdout } = await keydesk(["serve", "--help"], {});
  for (const row of settingsTable()) assert.ok(stdout.includes(`  ${row.name} `), row.name);
});

Deno.test("commands: wrong usage is told on standard error with exit code 2", async () => {
  const every: [string[], RegExp][] = [
    [[], /Usage: keydesk/],
    [["token"], /Usage: keydesk token/],
    [["fly"], /unknown command 'fly'/],
    [["serve", "--port=80"], /unknown option '--port=80'/],
    [["seed", "more"], /too many arguments for 'seed'/],
    [["token", "create", "ci"], /--allow or --role is needed, and not both/],
    [["token", "create", "--allow", "admin"], /missing required argument 'name'/],
    [["token", "create", "", "--allow", "admin"], /Expected 1 to 100 characters/],
    [["token", "create", "ci", "--allow", "fly"], /Unknown: fly\. Known: portal:read, /],
    [["token", "create", "ci", "--allow", "admin", "--expires", "0"], /whole number of days/],
    [["requests"], /Usage: keydesk requests/],
    [["requests", "lst"], /unknown command 'lst'.*Did you mean list\?/s],
    [["requests", "approve"], /missing required argument 'id'/],
    [["requests", "list", "--limit", "0"], /Expected a whole number of 1 or more/],
    [["requests", "list", "--state", "open"], /Allowed choices are pending, issued, declined/],
    [["requests", "decline", "x", "--reason", " "], /Expected 1 to 2000 characters/],
    [["developers", "add"], /missing required argument 'e-mail'/],
    [["keys", "issue", "dev-ada"], /missing required argument 'plan'/],
    [["token", "revoke"], /missing required argument 'id'/],
  ];
  for (const [words, sentence] of every) {
    const { code, stdout, stderr } = await keydesk(words, {});
    assert.deepEqual([code, stdout], [2, ""], words.join(" "));
    assert.match(stderr, sentence);
  }
});

Deno.test("commands: sealing-key prints a fresh usable key each time", async () => {
  const [one, two] = await Promise.all([
    keydesk(["sealing-key"], {}),
    keydesk(["sealing-key"], {}),
  ]);
  assert.equal(one.code, 0);
  assert.equal(parseSealingKeys(one.stdout).current, 1);
  assert.notEqual(one.stdout, two.stdout);
});

Deno.test("commands: docs/command-line.md names every command", async () => {
  const page = await Deno.readTextFile(join(repository, "docs/command-line.md"));
  const rows = page.split("\n").filter((line) => line.startsWith("| `keydesk "));
  const named = rows.flatMap((row) => {
    const [first = "", ...others] = [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)]
      .map(([, words = ""]) => words.replace(/^keydesk /, ""));
    const [verb = "", below] = first.split(" ");
    return [first, ...others.map((word) => below === undefined ? word : `${verb} ${word}`)];
  });
  const leaves = leavesOf(await createProgram());
  assert.deepEqual(named.sort(), leaves.sort());
});

Deno.test("commands: each loaded alone is as it is among all", async () => {
  const all = await createProgram();
  assert.ok(all.commands.length > 20);
  for (const command of all.commands) {
    const name = command.name();
    const { commands } = await createProgram(name);
    const isAlone = !["completion", "help"].includes(name);
    assert.equal(commands.length, isAlone ? 1 : all.commands.length, name);
    const one = commands.find((other) => other.name() === name);
    assert.ok(one && leavesOf(one).join() === leavesOf(command).join(), name);
  }
});

/**
 * The commands that do something themselves: each without others below it, and each that takes an
 * argument.
 */
function leavesOf(command: Command, path: readonly string[] = []): string[] {
  const itself = command.commands.length === 0 || command.registeredArguments.length > 0;
  return [
    ...itself ? [path.join(" ")] : [],
    ...command.commands.flatMap((below) => leavesOf(below, [...path, below.name()])),
  ];
}
