/**
 * Modules that a start of the server loads at once, in few files: each file costs the runtime some
 * tenths of a millisecond. No file of them needs another file that needs it.
 */
import type { ChunkingContext, CodeSplittingNameFunction } from "rolldown";

/** What starts, by the module that it loads first. */
const STARTS = {
  serving: "/src/cli/serve.ts",
  writing: "/src/writer-thread.ts",
  storing: "/src/open-server.ts",
};
const ENDPOINTS = "/src/endpoints.ts";
const COMMANDS = "/src/cli/";
const PROGRAM = `${COMMANDS}program.ts`;

/** A module that each command at a store loads, and no command that speaks to a server. */
const OF_STORES = "/src/storage/open-storage.ts";

/** As many endpoints as make loading for each of them by itself cost more than loading for all. */
const MANY = 4;

/** Gives the file of a module of the repository at `root` by its name; null: it is in none. */
export function startGroups(root: string): CodeSplittingNameFunction {
  let loaded: ReturnType<typeof loadedBy> | undefined;
  return (id, context) => {
    loaded ??= loadedBy(root, context);
    const { starts, commands, endpoints } = loaded;
    // Commands load little, and entries alone may begin what they begin.
    if (commands.has(id) || Object.values(STARTS).some((path) => id === root + path)) return null;
    const names = Object.entries(starts).flatMap(([name, ids]) => ids.has(id) ? name : []);
    if (names.join() !== "writing") return names.length === 0 ? null : names.join("-");
    const callers = endpoints.filter((ids) => ids.has(id)).length;
    if (callers === 0) return "writing";
    return callers < MANY ? null : "writing-called";
  };
}

/** The modules that each start, each endpoint and the commands that speak to a server load. */
function loadedBy(root: string, context: ChunkingContext) {
  const lateOf = (id: string) => context.getModuleInfo(id)?.dynamicallyImportedIds ?? [];
  const commands = new Set<string>();
  const roots = new Set([root + PROGRAM]);
  for (const one of roots) {
    const ids = closure(one, context);
    if ([...ids].some((id) => id.includes(OF_STORES))) continue;
    for (const id of ids) {
      commands.add(id);
      for (const next of lateOf(id)) if (next.startsWith(root + COMMANDS)) roots.add(next);
    }
  }
  return {
    commands,
    endpoints: lateOf(root + ENDPOINTS).map((id) => closure(id, context)),
    starts: Object.fromEntries(
      Object.entries(STARTS).map(([name, path]) => [name, closure(root + path, context)]),
    ),
  };
}

/** The module with all that it imports at once. */
function closure(id: string, context: ChunkingContext): ReadonlySet<string> {
  const found = new Set([id]);
  for (const one of found) {
    for (const next of context.getModuleInfo(one)?.importedIds ?? []) found.add(next);
  }
  return found;
}
