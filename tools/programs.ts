/**
 * The programs that tests may start: what Node and npm brought, POSIX sh and the core utilities.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeMigratedStores } from "../test/support/migrated-stores.ts";
import { STORES_FOLDER } from "../test/support/postgres-installation.ts";

const PROGRAMS = [
  "node",
  "npm",
  "npx",
  "sh",
  "basename",
  "cat",
  "chmod",
  "chown",
  "cp",
  "cut",
  "date",
  "dd",
  "df",
  "dirname",
  "du",
  "echo",
  "env",
  "expr",
  "false",
  "head",
  "id",
  "kill",
  "ln",
  "ls",
  "mkdir",
  "mkfifo",
  "mktemp",
  "mv",
  "nice",
  "nohup",
  "printf",
  "pwd",
  "readlink",
  "rm",
  "rmdir",
  "seq",
  "sleep",
  "sort",
  "stat",
  "stty",
  "sync",
  "tail",
  "tee",
  "test",
  "timeout",
  "touch",
  "tr",
  "true",
  "tty",
  "uname",
  "uniq",
  "wc",
  "whoami",
  // Linux tells a process's memory in a file, macOS by its own program.
  ...Deno.build.os === "darwin" ? ["ps"] : [],
];

/**
 * What tests that need nothing but Node and npm find in their environment: no program but PROGRAMS
 * and those in node_modules/.bin, so that a test which needs another fails wherever it runs, and
 * stores that stand migrated.
 */
export interface Programs extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** Makes them in a folder of their own, which goes when they are disposed of. */
export async function makePrograms(): Promise<Programs> {
  // Where root runs the tests, PostgreSQL runs as nobody, who gets at /tmp.
  const folder = await Deno.makeTempDir({
    prefix: "keydesk-tests-",
    ...Deno.uid() === 0 ? { dir: "/tmp" } : {},
  });
  const programs = join(folder, "programs");
  const stores = join(folder, "stores");
  for (const path of [folder, programs, stores]) {
    await Deno.mkdir(path, { recursive: true });
    await Deno.chmod(path, 0o755);
  }
  await makeMigratedStores(stores);
  for (const name of PROGRAMS) {
    const found = whereIs(name);
    if (found) await Deno.symlink(found, join(programs, name));
  }
  const ours = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
  return {
    env: { [STORES_FOLDER]: stores, PATH: [ours, programs].join(delimiter) },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

function whereIs(name: string): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
