/**
 * What a run of tests makes once: by whichever file asks for it first, for every file after it.
 * `npm run test:system` names the run's folder in `RUN_FOLDER`; a file that runs without it makes
 * what it needs for itself.
 */
import { join } from "node:path";

/** The variable of the environment that names the run's folder. */
export const RUN_FOLDER = "TEST_RUN";

const making = new Map<string, Promise<string>>();
let own: string | undefined;

/**
 * The folder of that name, filled by `make` where nobody has yet. Who asks may read it, and change
 * nothing in it.
 */
export function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const known = making.get(name) ?? makeOrFind(join(runFolder(), name), make);
  making.set(name, known);
  return known;
}

async function makeOrFind(
  folder: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  if (await isThere(folder)) return folder;
  // Beside it and then in one step, so that another file never finds half of it.
  const half = await Deno.makeTempDir({ dir: runFolder() });
  await make(half);
  await Deno.rename(half, folder).catch(async (error) => {
    if (!await isThere(folder)) throw error;
  });
  return folder;
}

async function isThere(folder: string): Promise<boolean> {
  return (await Deno.stat(folder).catch(() => undefined)) !== undefined;
}

function runFolder(): string {
  const named = Deno.env.get(RUN_FOLDER) ?? own;
  if (named !== undefined) return named;
  const made = own = Deno.makeTempDirSync({ prefix: "keydesk-run-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(made, { recursive: true }));
  return made;
}
