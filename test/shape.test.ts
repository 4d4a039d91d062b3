/** In how many pieces src/ is: no small file for one neighbour, no export that nothing needs. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { repository } from "./support/command.ts";
import { type Module, readModules } from "./support/modules.ts";

/** Below it a file with one user in its folder is a part of that. */
const SMALL = 40;
const TREES = ["src", "packages", "test", "console", "tools", "system", "bench", "examples"];
const modules = TREES.flatMap((tree) => {
  const at = (path: string) => path.startsWith(".") ? join(tree, path) : path;
  return readModules(join(repository, tree)).map((module) => ({
    ...module,
    path: join(tree, module.path),
    // What does not stand below the tree is told by its way there.
    imports: module.imports.map((name) => /\.\w+$/.test(name) ? at(`./${name}`) : name),
  }));
});

const isTest = (path: string) => path.startsWith("test/") || path.includes("/test/");
const isOurs = (path: string) => /^(src|packages)\//.test(path) && !isTest(path);

/** Who imports each file. */
function importersIn(all: readonly Module[]): Map<string, Module[]> {
  const found = new Map<string, Module[]>();
  for (const module of all) {
    for (const name of new Set(module.imports)) {
      found.set(name, [...found.get(name) ?? [], module]);
    }
  }
  return found;
}

/**
 * Files of src/ that should stand in the one that needs them. Left out is what is loaded late or on
 * a thread of its own.
 */
function tooSmall(all: readonly Module[]): string[] {
  const importers = importersIn(all.filter(({ path }) => !isTest(path)));
  return all.filter(({ path, lines }) => isOurs(path) && lines < SMALL)
    .flatMap(({ path, lines }) => {
      const [user, ...others] = importers.get(path) ?? [];
      if (!user || others.length > 0 || dirname(user.path) !== dirname(path)) return [];
      const isLate = !user.loads.some((name) => join(path.split("/")[0] ?? "", name) === path);
      if (isLate || path.endsWith("-thread.ts") || user.path === "src/cli/main.ts") {
        return [];
      }
      return [`${path} has ${lines} lines, and ${user.path} alone needs it`];
    });
}

/** What is exported though no other file says its name. The published client is for others. */
function unneeded(all: readonly Module[]): string[] {
  const importers = importersIn(all);
  return all.filter(({ path }) => isOurs(path) && !path.startsWith("src/client/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORTED)].flatMap(([, name = ""]) => {
        const said = new RegExp(`\\b${name}\\b`);
        const isNeeded = (importers.get(path) ?? []).some((user) => said.test(user.text));
        return isNeeded ? [] : [`${path} exports ${name}, which no other file needs`];
      })
    );
}

const EXPORTED =
  /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

Deno.test("shape: no small file of src/ has one user, in its own folder", () => {
  assert.deepEqual(tooSmall(modules), []);
});

Deno.test("shape: every export of src/ is needed by another file", () => {
  assert.deepEqual(unneeded(modules), []);
});

Deno.test("shape: a small file with one user is found, and an export that nothing needs", () => {
  const sample = (path: string, lines: number, text: string, imports: string[] = []): Module => ({
    path,
    imports,
    loads: imports.map((name) => name.slice("src/".length)),
    lines,
    text,
  });
  const user = sample("src/kernel/a.ts", 100, "export function a() {}", ["src/kernel/b.ts"]);
  const all = [user, sample("src/kernel/b.ts", 10, "export const b = 1;\nexport const c = 2;")];
  assert.deepEqual(tooSmall(all), [
    "src/kernel/b.ts has 10 lines, and src/kernel/a.ts alone needs it",
  ]);
  assert.equal(unneeded(all).length, 3);
});
