/**
 * The words of the field: what people and programs read says none of those that were ours alone.
 * Rows, tables, the older interface and the table of former names keep them.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { helpsOf } from "../tools/help-file.ts";
import { createProgram } from "../src/cli/program.ts";
import { readModules } from "./support/modules.ts";
import { repository } from "./support/command.ts";

/** Words that were ours alone, each with a name of today's. */
const FORMER =
  /\b(doors?|trail|elevations?|elevated|claim links?|dead letters?|troubles?|access desk|moving in|moving out)\b/gi;

/** What stands for something that keeps its name. */
const KEPT = [
  // A header of files that are in the field, the file of checkpoints, a member of stored details.
  /X-Keydesk-Door/g,
  /trail-heads\.json/g,
  /`elevation` in the detail/g,
  // Words by which the palette finds a screen; names of access tokens; stored details.
  /words: "[^"]*"/g,
  /^ {2}"\/[\w-]+": "[^"]*",$/gm,
  /say`Door \$\{gateway\.name\}`/g,
  /event\.detail\.elevation/g,
];

function formerWords(text: string): string[] {
  const without = KEPT.reduce((rest, kept) => rest.replaceAll(kept, ""), text);
  return without.match(FORMER) ?? [];
}

Deno.test("words: a former word is found in text, in any case, and not within another one", () => {
  assert.deepEqual(formerWords("The Door, outdoor trails and the trail"), ["Door", "trail"]);
  assert.deepEqual(formerWords("`X-Keydesk-Door` is still read"), []);
});

Deno.test("words: both documents of the interface use the field's", async () => {
  for (const name of ["openapi.json", "openapi-3.1.json"]) {
    const text = await readFile(join(repository, name), "utf8");
    assert.ok(text.includes("/v1/audit-log"));
    assert.deepEqual(formerWords(text), [], name);
  }
});

Deno.test("words: so does the help of each command", async () => {
  const helps = Object.entries(Object.fromEntries(helpsOf(await createProgram(), [])));
  assert.ok(helps.length > 150);
  const found = helps.flatMap(([name, help]) =>
    formerWords(JSON.stringify(help)).map((word) => `${name}: ${word}`)
  );
  assert.deepEqual(found, []);
});

Deno.test("words: so do the pages of docs/ and README", async () => {
  const pages = (await readdir(join(repository, "docs"))).filter((name) => name.endsWith(".md"));
  assert.ok(pages.length > 30);
  // The table of former names, and what other products call theirs.
  const others = ["upgrading.md", "glossary.md"];
  const found: string[] = [];
  for (const page of ["../README.md", ...pages.filter((name) => !others.includes(name))]) {
    const text = await readFile(join(repository, "docs", page), "utf8");
    found.push(...formerWords(text).map((word) => `${page}: ${word}`));
  }
  assert.deepEqual(found, []);
});

Deno.test("words: so do the texts of the console", async () => {
  const files = (await readdir(join(repository, "console"), { recursive: true }))
    .filter((name) => /\.tsx?$/.test(name));
  assert.ok(files.length > 200);
  const found: string[] = [];
  for (const file of files) {
    const text = await readFile(join(repository, "console", file), "utf8");
    for (const line of text.split("\n")) {
      if (/^\s*(\/\/|\*|\/\*)/.test(line)) continue;
      // Texts have a blank; what has none is a name of the code's.
      const texts = KEPT.reduce((rest, kept) => rest.replaceAll(kept, ""), line).match(
        /"[^"]* [^"]*"|`[^`]* [^`]*`|>[^<>{}]* [^<>{}]*</g,
      ) ?? [];
      found.push(...formerWords(texts.join("\n")).map((word) => `${file}: ${word}: ${line}`));
    }
  }
  assert.deepEqual(found, []);
});

/** Comments that begin with a word at which nobody looks for a sentence's subject, at the most. */
const MOST_HABITS = 4;

Deno.test("words: comments that begin with What, Who, Where or Whoever become fewer", () => {
  const begins = /^\s*(?:\/\/|\/\*\*|\*) (?:What|Who|Where|Whoever|Whose|The same)\b/gm;
  const count = readModules().reduce((n, { text }) => n + (text.match(begins)?.length ?? 0), 0);
  assert.ok(count > 0 && count <= MOST_HABITS, `${count} of ${MOST_HABITS}`);
});
