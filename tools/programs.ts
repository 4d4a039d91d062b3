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
 * Runs `deno test` with these arguments, to its end, and gives its exit code. The tests find no
 * program but PROGRAMS and those in node_modules/.bin, so that a test which needs another fails
 * wherever it runs. `signal` ends them before.
 */
export async function runTests(
  args: string[],
  env: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<number> {
  // Where root runs the tests, PostgreSQL runs as nobody, who gets at /tmp.
  const folder = await Deno.makeTempDir({
    prefix: "keydesk-tests-",
    ...Deno.uid() === 0 ? { dir: "/tmp" } : {},
  });
  const programs = join(folder, "programs");
  const stores = join(folder, "stores");
  try {
    for (const path of [folder, programs, stores]) {
      await Deno.mkdir(path, { recursive: true });
      await Deno.chmod(path, 0o755);
    }
    await makeMigratedStores(stores);
    for (const name of PROGRAMS) {
      const found = whereIs(name);
      if (found) await Deno.symlink(found, join(programs, name));
    }
    if (signal?.aborted) return 1;
    const ours = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
    const tests = new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--quiet", ...args],
      env: {
        ...env,
        [STORES_FOLDER]: stores,
        PATH: [ours, programs].join(delimiter),
      },
    }).spawn();
    // Ctrl-C reaches the tests as well; this process waits for their end.
    Deno.addSignalListener("SIGINT", () => {});
    Deno.addSignalListener("SIGTERM", () => tests.kill("SIGTERM"));
    signal?.addEventListener("abort", () => tests.kill("SIGTERM"));
    return (await tests.status).code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function whereIs(name: string): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
