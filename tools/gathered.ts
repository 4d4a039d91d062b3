/**
 * Files of tests are gathered into modules, a folder's into one or a few, and small folders beside
 * each other into one: each process of `deno test` loads and warms up all that it tests, and starts
 * a PostgreSQL of its own, which takes longer than the tests of a small file. What is heavy by
 * itself, below test/whole, and what says that it runs alone, stays so.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { kindOf } from "./pool.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Where the modules are written; they stay, so that one can be run again. */
const MODULES = `${root}.tmp/tests`;
const ALONE = "test/whole/";
/** More files in one would leave the last module running alone for long. */
const MOST_FILES = 12;
/** A folder with more files has modules of its own. */
const SMALL = 6;

/** A module, and the files whose tests are in it. */
export interface Module {
  readonly path: string;
  readonly files: readonly string[];
}

/**
 * The modules to run for these folders and files: a file that is named stands for itself, of a
 * folder those run that `runs` says.
 */
export async function gathered(
  paths: readonly string[],
  runs: (file: string) => boolean,
): Promise<Module[]> {
  const alone: string[] = [];
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    if (statSync(path).isFile()) alone.push(path);
    else for (const file of testsOf(path).filter(runs)) place(file);
  }
  await Deno.mkdir(MODULES, { recursive: true });
  const modules: Module[] = alone.map((path) => ({ path, files: [path] }));
  for (const [name, files] of withNeighbours(folders)) {
    modules.push(...await gatherFolder(name, files));
  }
  return modules;

  function place(file: string): void {
    const isAlone = file.startsWith(ALONE) || kindOf(file, readFileSync(file, "utf8")) !== "test";
    if (isAlone) alone.push(file);
    else folders.set(dirname(file), [...folders.get(dirname(file)) ?? [], file]);
  }
}

/** The folders with their files; of small ones of one parent as many as a module takes. */
function withNeighbours(
  folders: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  /** Of each parent the name that is being filled. */
  const filled = new Map<string, string>();
  for (const [folder, files] of folders) {
    const parent = dirname(folder);
    const name = filled.get(parent);
    const before = name === undefined ? [] : all.get(name) ?? [];
    if (files.length > SMALL) all.set(folder, files);
    else if (name !== undefined && before.length + files.length <= MOST_FILES) {
      all.set(name, [...before, ...files]);
    } else {
      all.set(folder, files);
      filled.set(parent, folder);
    }
  }
  return all;
}

/** Writes the modules of some files, alike in size, by the name of their first folder. */
async function gatherFolder(folder: string, files: readonly string[]): Promise<Module[]> {
  const [only] = files;
  if (only !== undefined && files.length === 1) return [{ path: only, files }];
  const count = Math.ceil(files.length / MOST_FILES);
  const each = Math.ceil(files.length / count);
  return await Promise.all(Array.from({ length: count }, async (_, at) => {
    const number = count === 1 ? "" : `-${at + 1}`;
    const path = `${MODULES}/${folder.replaceAll("/", "-")}${number}.test.ts`;
    const parts = files.slice(at * each, (at + 1) * each);
    await Deno.writeTextFile(path, textOf(parts));
    return { path: relative(root, path), files: parts };
  }));
}

function textOf(files: readonly string[]): string {
  const lines = files.map((file) => {
    const url = JSON.stringify(pathToFileURL(file));
    return `await part(${url}, () => import(${url}));`;
  });
  return [`import { part } from "../../tools/note-cost.ts";`, ...lines, ""].join("\n");
}

/** The test files below a folder, by their names. */
export function testsOf(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`.replaceAll(/\/+/g, "/").replace(/^\.\//, "");
    if (isDirectory) return name === "node_modules" ? [] : testsOf(path);
    return name.endsWith(".test.ts") ? [path] : [];
  }).toSorted();
}
