/**
 * Files of tests are gathered into modules, a folder's into one or a few, and small folders beside
 * each other into one: each process of `deno test` loads and warms up all that it tests, and starts
 * a PostgreSQL or a Chromium of its own, which takes longer than the tests of a small file. A file
 * that takes long by itself, that starts programs of the machine or that says that it runs alone
 * stays so.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { lastCosts } from "./costs.ts";
import { type Kind, kindOf } from "./pool.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Where the modules are written; they stay, so that one can be run again. */
const MODULES = `${root}.tmp/tests`;
/** More files, or more seconds of the clock, in one would leave the last module running alone. */
const MOST_FILES = 12;
const MOST_SECONDS = 240;
/** A file that took so many by the last figures stands alone. */
const LONG_SECONDS = 60;
/** A folder with more files has modules of its own. */
const SMALL = 6;
/** What of a kind needs nothing that a second file could miss. */
const GATHERED: readonly Kind[] = ["test", "browser"];

/** A module, and the files whose tests are in it. */
export interface Module {
  readonly path: string;
  readonly kind: Kind;
  readonly files: readonly string[];
  /** So long they took the last time, by the clock; 0: not known. */
  readonly seconds: number;
}

/** Whether a file, or a module of several, is of the system's tests. */
export function isOfSystem(path: string): boolean {
  return /^(\.\/)?(\.tmp\/tests\/system-|system(\/|$))/.test(path);
}

/**
 * The modules to run for these folders and files: a file that is named stands for itself, of a
 * folder those run that `runs` says.
 */
export async function gathered(
  paths: readonly string[],
  runs: (file: string) => boolean,
): Promise<Module[]> {
  const last = lastCosts();
  const modules: Module[] = [];
  const folders = new Map<Kind, Map<string, string[]>>();
  for (const path of paths) {
    if (statSync(path).isFile()) modules.push(moduleOf(path, [path]));
    else for (const file of testsOf(path).filter(runs)) place(file);
  }
  await Deno.mkdir(MODULES, { recursive: true });
  for (const ofKind of folders.values()) {
    for (const [name, files] of withNeighbours(ofKind)) {
      modules.push(...await gatherFolder(name, files));
    }
  }
  return modules;

  function place(file: string): void {
    const { kind, seconds } = moduleOf(file, [file]);
    if (!GATHERED.includes(kind) || seconds >= LONG_SECONDS) {
      modules.push(moduleOf(file, [file]));
      return;
    }
    const ofKind = folders.get(kind) ?? new Map<string, string[]>();
    folders.set(kind, ofKind.set(dirname(file), [...ofKind.get(dirname(file)) ?? [], file]));
  }

  function moduleOf(path: string, files: readonly string[]): Module {
    const [first = path] = files;
    const kind = kindOf(first, readFileSync(first, "utf8"));
    return { path, kind, files, seconds: secondsOf(files) };
  }

  function secondsOf(files: readonly string[]): number {
    return files.reduce((sum, file) => sum + (last[file]?.[1] ?? 0), 0);
  }

  /** Writes the modules of some files, alike in size, by the name of their first folder. */
  async function gatherFolder(folder: string, files: readonly string[]): Promise<Module[]> {
    const [only] = files;
    if (only !== undefined && files.length === 1) return [moduleOf(only, files)];
    const count = Math.max(
      Math.ceil(files.length / MOST_FILES),
      Math.ceil(secondsOf(files) / MOST_SECONDS),
    );
    const each = Math.ceil(files.length / count);
    return await Promise.all(
      Array.from({ length: Math.ceil(files.length / each) }, async (_, at) => {
        const number = count === 1 ? "" : `-${at + 1}`;
        const path = `${MODULES}/${folder.replaceAll("/", "-")}${number}.test.ts`;
        const parts = files.slice(at * each, (at + 1) * each);
        await Deno.writeTextFile(path, textOf(parts));
        return moduleOf(relative(root, path), parts);
      }),
    );
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
