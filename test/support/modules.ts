import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * One file of src/ (or console/): what it imports, by path below that for our own and by name for
 * others.
 */
export interface Module {
  /** Below src/, with slashes. */
  readonly path: string;
  readonly lines: number;
  readonly text: string;
  readonly imports: readonly string[];
  /**
   * Those of `imports` that are loaded together with it: no types, and nothing that it loads later.
   */
  readonly loads: readonly string[];
}

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** The folder of the console. */
export const CONSOLE = fileURLToPath(new URL("../../console/", import.meta.url));

/** The folder of our own libraries. */
export const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

/** Static imports and exports, and `import("…")` with a fixed name. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/g;

/** Static imports and exports with what they name. */
const LOADED = /(?:^|\n)\s*(?:import|export)\s(?!type\s)(?:([^"';]*?)\sfrom\s)?\s*"([^"]+)"/g;

/** `{ type A, type B }`: nothing of it is left when types are erased. */
const TYPES_ALONE = /^\{\s*(type\s[^,{}]+,?\s*)+\}$/;

/** Every module of src/, or of another folder. */
export function readModules(root = SRC): Module[] {
  return walk(root).map((file) => {
    const text = Deno.readTextFileSync(file);
    const imports = [...text.matchAll(IMPORT)].map(([, fixed, dynamic]) => fixed ?? dynamic ?? "");
    const loads = [...text.matchAll(LOADED)].filter(([, named = ""]) => !TYPES_ALONE.test(named))
      .map(([, , name = ""]) => name);
    const placed = (name: string) =>
      name.startsWith(".") ? relative(root, join(dirname(file), name)) : name;
    return {
      path: relative(root, file),
      lines: text.split("\n").length - 1,
      text,
      imports: imports.map(placed),
      loads: loads.map(placed),
    };
  }).sort((a, b) => a.path < b.path ? -1 : 1);
}

/** A way around in a graph, or undefined where there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, auditLog: string[]): string[] | undefined => {
    if (auditLog.includes(node)) return [...auditLog.slice(auditLog.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const found = visit(next, [...auditLog, node]);
      if (found) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return undefined;
}

function walk(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory) return walk(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}
