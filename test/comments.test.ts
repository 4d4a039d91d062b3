/**
 * What STYLE.md asks of comments and words: comments end where code does, one word for one thing.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./support/command.ts";

const FOLDERS = [
  "src",
  "packages",
  "console",
  "test",
  "system",
  "tools",
  "bench",
  "bin",
  "examples",
];

/** Programs that a generated client must stand beside before anything reads them. */
const LEFT_OUT = ["system/generators/typescript"];
const COLUMNS = 100;

/** What is generated is made for nobody's eyes; the formatter leaves it alone too. */
const generated: readonly string[] =
  JSON.parse(readFileSync(join(repository, "deno.json"), "utf8")).fmt.exclude;

const files = FOLDERS.flatMap(filesBelow).map((path) => ({
  path,
  lines: readFileSync(join(repository, path), "utf8").split("\n"),
}));

Deno.test("comments: none is wider than 100 columns", () => {
  assert.ok(files.length > 1500);
  const found = files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => isTooWide(line) ? [`${path}:${index + 1}`] : [])
  );
  assert.deepEqual(found, []);
  for (const sign of ["/** ", "// ", "   * "]) {
    assert.ok(isTooWide(sign + "a".repeat(COLUMNS)), sign);
    assert.ok(!isTooWide(sign + "a".repeat(COLUMNS - sign.length)), sign);
  }
  assert.ok(!isTooWide(`const a = "${"a".repeat(COLUMNS)}";`));
});

Deno.test("words: what stands under /v1 is called by that, not native", () => {
  const found = files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => saysNative(line) ? [`${path}:${index + 1}`] : [])
  );
  // PostgreSQL's installation has a folder of that name, its client a package; here the word is
  // looked for.
  const others =
    /^(test\/comments\.test|test\/support\/postgres-installation|tools\/(bundle|console-end))/;
  assert.deepEqual(found.filter((place) => !others.test(place)), []);
  for (
    const line of ["the native list", "const native = 1", "NATIVE", "findNativeOf(", "aNative"]
  ) {
    assert.ok(saysNative(line), line);
  }
});

/** A lint's switch must stand on one line. */
function isTooWide(line: string): boolean {
  return line.length > COLUMNS && /^\s*(\/\/|\/\*|\*\s)/.test(line) &&
    !line.includes("deno-lint-ignore");
}

/**
 * Names that clients know stay: operations, schemas, tags. Of the runtime the word means another
 * thing.
 */
function saysNative(line: string): boolean {
  const ours = line.replaceAll(/\(native\)|-native"|native (object|copy|library)|a native$/g, "");
  return /\bnative\b|\bNATIVE\b|[a-z]Native(?!KeyRequest|Plan|Developer|Certificate)/.test(ours);
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === "node_modules" || LEFT_OUT.includes(path) ? [] : filesBelow(path);
    }
    return /\.(ts|tsx|js|css)$/.test(path) && !generated.includes(path) ? [path] : [];
  });
}
