/**
 * How much there is to hold of a checkout: `deno run -A bench/size.ts [FOLDER …]`, before and after
 * side by side; without a folder this one. Tracked files are counted, and those that `npm run
 * generate` makes, which each folder has to have. A line is one of at most 100 columns, as the
 * formatter leaves it.
 */
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type * as Compiler from "typescript";
import "./machine.ts";

const ts: typeof Compiler = createRequire(import.meta.url)("typescript");
const here = fileURLToPath(new URL("../", import.meta.url));
const folders = Deno.args.length === 0 ? [here] : Deno.args;
const LONG_FUNCTION = 80;
const SMALL_FILE = 40;
const SKIPPED = new Set(["node_modules", "test"]);
const DATA = /\.json$|\.browser\.js$/;

/** Numbers by what they count. */
type Size = Record<string, number>;

const sizes = folders.map(sizeOf);
for (const name of Object.keys(sizes[0] ?? {})) {
  const numbers = sizes.map((size) => (size[name] ?? 0).toLocaleString("en").padStart(9));
  console.log(`${name.padEnd(52)}${numbers.join("")}`);
}

function sizeOf(root: string): Size {
  const files = filesBelow(join(root, "src")).concat(filesBelow(join(root, "packages")));
  const sources = new Map(files.map((file) => [file, sourceOf(file)]));
  const importers = new Map<string, Set<string>>();
  let exports = 0;
  let longFunctions = 0;
  for (const [file, source] of sources) {
    for (const path of importsOf(source)) {
      const found = importers.get(path) ?? new Set();
      importers.set(path, found.add(file));
    }
    exports += exportsOf(source);
    longFunctions += longFunctionsOf(source);
  }
  const lines = (all: readonly string[]) => all.reduce((sum, file) => sum + linesOf(file), 0);
  const small = files.filter((file) => {
    const [user, ...others] = importers.get(file) ?? [];
    return linesOf(file) < SMALL_FILE && user !== undefined && others.length === 0 &&
      dirname(user) === dirname(file);
  });
  const console = filesBelow(join(root, "console"));
  return {
    "src and packages: lines of TypeScript": lines(files),
    "of it packages": lines(filesBelow(join(root, "packages"))),
    "src and packages: files": files.length,
    "longest file": Math.max(...files.map(linesOf)),
    "files with one importer": files.filter((file) => importers.get(file)?.size === 1).length,
    "files under 40 lines with one importer in their folder": small.length,
    "exported names": exports,
    "functions of more than 80 lines": longFunctions,
    "src: lines of data (JSON, browser scripts)": lines(filesBelow(join(root, "src"), DATA)),
    "console: lines without tests and styles": lines(console),
    "docs: words of its pages": wordsOf(join(root, "docs")),
  };
}

/** What holds a letter or a digit, in the pages of a folder and not below it. */
function wordsOf(folder: string): number {
  const texts = [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".md"))
    .map(({ name }) => Deno.readTextFileSync(join(folder, name)));
  return texts.join("\n").split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

function filesBelow(folder: string, wanted = /\.tsx?$/): string[] {
  try {
    return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
      const path = join(folder, name);
      if (isDirectory) return SKIPPED.has(name) ? [] : filesBelow(path, wanted);
      return wanted.test(name) && !name.endsWith(".test.ts") ? [path] : [];
    });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function linesOf(file: string): number {
  return Deno.readTextFileSync(file).split("\n").length - 1;
}

function sourceOf(file: string): Compiler.SourceFile {
  const text = Deno.readTextFileSync(file);
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** Whatever it imports of our own, now or later. */
function importsOf(source: Compiler.SourceFile): Set<string> {
  const found = new Set<string>();
  const visit = (node: Compiler.Node): void => {
    const named = (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
      ? node.moduleSpecifier
      : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
      ? node.arguments[0]
      : undefined;
    if (named && ts.isStringLiteral(named) && named.text.startsWith(".")) {
      found.add(join(dirname(source.fileName), named.text));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function exportsOf(source: Compiler.SourceFile): number {
  return source.statements.reduce((sum, node) => {
    const words = ts.canHaveModifiers(node) ? ts.getModifiers(node) ?? [] : [];
    if (!words.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return sum;
    return sum + (ts.isVariableStatement(node) ? node.declarationList.declarations.length : 1);
  }, 0);
}

function longFunctionsOf(source: Compiler.SourceFile): number {
  let found = 0;
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const visit = (node: Compiler.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      if (lines > LONG_FUNCTION) {
        found++;
        if (Deno.env.has("NAMES")) console.error(relative(here, source.fileName), lines);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
