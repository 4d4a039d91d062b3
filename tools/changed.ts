/** Which tests a change reaches: `npm test -- changed`, `npm run test:system -- changed`. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * So many imports lie between a test and what it is run for at most: one helper. Behind the third
 * nearly every test sees nearly every file, through what puts the program together.
 */
const STEPS = 2;
/** What imports so many folders of `src/features` puts the program together. */
const PUTS_TOGETHER = 8;
/** Tests of the tree's shape and words, which every change may break. */
const GUARDS = ["test/boundaries.test.ts", "test/shape.test.ts", "test/words.test.ts"];

/** By each file of the repository what it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * The tests that the files changed since a commit reach, those that Git does not know yet among
 * them; by their names.
 */
export async function changedTests(since = "HEAD"): Promise<string[]> {
  const changes = [
    ...await git("diff", "--name-only", "--no-renames", since),
    ...await git("ls-files", "--others", "--exclude-standard"),
  ];
  const known = await git("ls-files", "--cached", "--others", "--exclude-standard");
  const tests = known.filter((file) => file.endsWith(".test.ts") && existsSync(join(root, file)));
  const imports = await importsOf(tests);
  const textOf = (file: string) => readFileSync(join(root, file), "utf8");
  return reachedBy(changes, { tests, imports, textOf });
}

/**
 * The tests that changes reach: a test itself; those of the folder of `test/` or `system/` that is
 * named like the changed file's own; those that import it, or import what imports it; of a file
 * that no test imports, such as a page or a screen, those that name it or its folder.
 */
export function reachedBy(
  changes: readonly string[],
  { tests, imports, textOf }: {
    tests: readonly string[];
    imports: Imports;
    textOf: (file: string) => string;
  },
): string[] {
  if (changes.length === 0) return [];
  const importers = importersOf(imports);
  const reached = new Set(GUARDS);
  for (const change of changes) {
    for (const test of besides(change, tests)) reached.add(test);
    if (importers.has(change)) { for (const test of above(change, importers)) reached.add(test); }
    else for (const test of naming(change, tests, textOf)) reached.add(test);
  }
  return tests.filter((test) => reached.has(test));
}

/** Tests of the same feature, or of the same folder of the source. */
function besides(change: string, tests: readonly string[]): string[] {
  const [, folder] = /^(?:src|console|packages|test|system)\/(.+)\/[^/]+$/.exec(change) ?? [];
  const own = folder?.split("/").slice(0, folder.startsWith("features/") ? 2 : 1).join("/");
  return tests.filter((test) =>
    test === change ||
    (own !== undefined && !/^(test|system)\//.test(change) &&
      new RegExp(`^(test|system|packages)/${own}/`).test(test))
  );
}

function above(change: string, importers: ReadonlyMap<string, readonly string[]>): Set<string> {
  const seen = new Set([change]);
  let edge = [change];
  for (let step = 0; step < STEPS; step++) {
    edge = edge.flatMap((file) => importers.get(file) ?? []).filter((file) => !seen.has(file));
    for (const file of edge) seen.add(file);
  }
  return seen;
}

/** The tests that name a file, or the folder that it stands in. */
function naming(
  change: string,
  tests: readonly string[],
  textOf: (file: string) => string,
): string[] {
  const folder = dirname(change);
  const names = folder === "." ? [change] : [change, `"${folder}"`, `${folder}/`];
  return tests.filter((test) => names.some((name) => textOf(test).includes(name)));
}

/** By each file those that import it, without what puts the program together. */
function importersOf(imports: Imports): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [file, imported] of imports) {
    const features = imported.map((one) => /^src\/features\/[^/]+/.exec(one)?.[0]);
    const many = new Set(features.filter((one) => one !== undefined)).size;
    if (many >= PUTS_TOGETHER && !file.endsWith(".test.ts")) continue;
    for (const one of imported) importers.set(one, [...importers.get(one) ?? [], file]);
  }
  return importers;
}

/** What all files below these import, as Deno reads it. */
async function importsOf(files: readonly string[]): Promise<Map<string, string[]>> {
  const module = join(root, ".tmp/tests/graph.ts");
  await mkdir(dirname(module), { recursive: true });
  const lines = files.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)))};`);
  await writeFile(module, lines.join("\n"));
  const { modules } = JSON.parse(await output(Deno.execPath(), "info", "--json", module));
  const prefix = pathToFileURL(root).href;
  const ours = (url = "") => url.startsWith(prefix) ? [url.slice(prefix.length)] : [];
  interface Module {
    specifier: string;
    dependencies?: { code?: { specifier?: string } }[];
  }
  return new Map(
    (modules as Module[]).flatMap(({ specifier, dependencies = [] }) =>
      ours(specifier).map((file) => [
        file,
        dependencies.flatMap(({ code }) => ours(code?.specifier)),
      ])
    ),
  );
}

async function git(...words: string[]): Promise<string[]> {
  return (await output("git", ...words)).split("\n").filter(Boolean);
}

async function output(command: string, ...args: string[]): Promise<string> {
  const ended = await new Deno.Command(command, { args, cwd: root }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!ended.success) throw new Error(`${command} ${args.join(" ")}: ${text(ended.stderr)}`);
  return text(ended.stdout);
}
