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
  const others = ["upgrading.md"];
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

/** Words of the code that were ours alone, each with a name of today's, as they are in a name. */
const FORMER_IN_NAMES =
  /^(desks?|told|tells?|telling|verdicts?|knocks?|knocked|deeds?|figures?|learn|learns|learned|learning|learner|lessons?|teachers?|meters?|metered|observed?|observes|observing|mend(?:s|ed|ing)?|shown?|shows|held|hold|whom|whose|nobody|somebody|houses?|storeys?)$/i;

/** Names that keep a former word, and why. */
const KEPT_NAMES: ReadonlySet<string> = new Set([
  // Placeholders of files that gateways have.
  "DESK_ADDRESS",
  "DESK_CREDENTIAL",
  // Migrations of the database, which are named by the table that they made.
  "learnedKeysSchema",
  "meterSchema",
  // Of commander.
  "showHelpAfterError",
  // A value of filters.
  "nobody",
]);

/** Identifiers of a module: neither its comments nor its texts, but what texts have in `${}`. */
function identifiersOf(text: string): string[] {
  const code = text
    .replace(/\/\*[^]*?\*\/|(?<![:"'`])\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""')
    .replace(
      /`(?:[^`\\]|\\[^])*`/g,
      (template) => [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, inner]) => inner).join(" "),
    );
  return code.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

function isFormerName(name: string): boolean {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").split(/[_$]/)
    .some((part) => FORMER_IN_NAMES.test(part));
}

Deno.test("words: a name is split where its words begin, and texts and comments are none", () => {
  assert.deepEqual(
    identifiersOf('// desk\nconst isTold = "the desk" + `a ${desk} of a desk`; /* desk */').filter(
      isFormerName,
    ),
    ["isTold", "desk"],
  );
  assert.ok(!isFormerName("threshold") && isFormerName("openDesk") && isFormerName("TOLD_MS"));
});

Deno.test("words: so do names in src/ and packages/", async () => {
  // Tables, columns, and members of the interface keep their names.
  const kept = new Set(KEPT_NAMES);
  const schemas = (await readdir(join(repository, "src/storage")))
    .filter((name) => /^schema.*\.ts$/.test(name)).map((name) => `storage/${name}`);
  for (const file of [...schemas, "client/operations.ts"]) {
    const text = await readFile(join(repository, "src", file), "utf8");
    for (const [, name = ""] of text.matchAll(/^\s*"?(\w+)"?\??: /gm)) kept.add(name);
  }
  const found = new Set<string>();
  for (const root of ["src", "packages"]) {
    const files = (await readdir(join(repository, root), { recursive: true }))
      .filter((name) => /^(?!.*\btest\/|client\/operations).*\.ts$/.test(name));
    assert.ok(files.length > 20);
    for (const file of files) {
      const text = await readFile(join(repository, root, file), "utf8");
      for (const name of identifiersOf(text)) {
        if (!kept.has(name) && isFormerName(name)) found.add(`${root}/${file}: ${name}`);
      }
    }
  }
  assert.deepEqual([...found], []);
});

/** Comments that begin with a word that is no sentence's subject, at the most. */
const MOST_HABITS = 1;

Deno.test("words: comments that begin with What, Who, Where or Whoever become fewer", () => {
  const begins = /^\s*(?:\/\/|\/\*\*|\*) (?:What|Who|Where|Whoever|Whose|The same)\b/gm;
  const count = readModules().reduce((n, { text }) => n + (text.match(begins)?.length ?? 0), 0);
  assert.ok(count > 0 && count <= MOST_HABITS, `${count} of ${MOST_HABITS}`);
});

/** Words of `src/` that name no one or somebody unnamed, at the most. */
const MOST_VAGUE = 125;

Deno.test("words: nobody, somebody, whoever, by then and stands become fewer", () => {
  const vague = /\b(?:nobody|somebody|whoever|by then|stands)\b/gi;
  const count = readModules().reduce((n, { text }) => n + (text.match(vague)?.length ?? 0), 0);
  assert.ok(count > 0 && count <= MOST_VAGUE, `${count} of ${MOST_VAGUE}`);
});

Deno.test("words: no comment of the console begins with one", async () => {
  const begins = /^\s*(?:\/\/|\/\*\*?|\*) (?:What|Who|Where|Whoever|Whose|The same)\b/gm;
  assert.equal("/* What ends. */\n  // Where it is.\n".match(begins)?.length, 2);
  const found: string[] = [];
  for (const file of await readdir(join(repository, "console"), { recursive: true })) {
    if (!/\.(tsx?|js|css)$/.test(file)) continue;
    const text = await readFile(join(repository, "console", file), "utf8");
    found.push(...(text.match(begins) ?? []).map((line) => `${file}: ${line.trim()}`));
  }
  assert.deepEqual(found, []);
});
