/**
 * What system tests get from package registries: pinned by files that stand beside the tests, kept
 * in `.tmp/downloads`, and fetched again only when one of those files changes.
 */
import { join } from "node:path";
import { repository, run } from "../../test/support/command.ts";

/** Downloads and what is built of them. */
export const downloads = join(repository, ".tmp/downloads");

const TRIES = 3;

/**
 * Runs a command that may download. A registry may be slow or refuse for a moment, so it is tried
 * again twice. Throws with what the last try said.
 */
export async function download(
  registry: string,
  command: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<void> {
  for (let tried = 1;; tried++) {
    const { code, stdout, stderr } = await run(command, options).catch((error) => {
      throw new Error(`${command[0]} is needed: ${error.message}`);
    });
    if (code === 0) return;
    const told = `${command.join(" ")} failed, try ${tried} of ${TRIES} (${registry})`;
    if (tried === TRIES) throw new Error(`${told}:\n${stdout}${stderr}`);
    console.error(told);
  }
}

/**
 * The folder of that name in `downloads`, made by `make` from files of `source`; made anew when one
 * of them has changed or an earlier making was interrupted.
 */
export async function kept(
  name: string,
  source: string,
  files: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(join(source, file))));
  const wanted = texts.join("\n");
  const folder = join(downloads, name);
  // Written last, so that half a folder is none.
  const stamp = join(folder, "made-of");
  if (await Deno.readTextFile(stamp).catch(() => undefined) === wanted) return folder;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  await make(folder);
  await Deno.writeTextFile(stamp, wanted);
  return folder;
}

/**
 * The `node_modules` of the package.json and package-lock.json of a folder; no install script is
 * run.
 */
export async function npmPackages(name: string, source: string): Promise<string> {
  const files = ["package.json", "package-lock.json"];
  const folder = await kept(name, source, files, async (cwd) => {
    for (const file of files) await Deno.copyFile(join(source, file), join(cwd, file));
    await download("npm", ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd });
  });
  return join(folder, "node_modules");
}

/**
 * A virtual environment with the packages of the requirements.txt of a folder. They are installed
 * by the pip that Python has for new environments, which takes twice as long to put into one.
 */
export async function pythonPackages(name: string, source: string): Promise<string> {
  return await kept(name, source, ["requirements.txt"], async (made) => {
    const venv = await run(["python3", "-m", "venv", "--without-pip", made]);
    const { stdout: wheel } = await run(["python3", "-c", PIP]);
    if (venv.code !== 0 || wheel === "") throw new Error("python3-venv is needed");
    const install = [join(made, "bin/python"), "-B", "-m", "pip", "install", "--no-compile"];
    const quiet = ["--no-deps", "--quiet", "--disable-pip-version-check"];
    const words = [...install, ...quiet, "-r", join(source, "requirements.txt")];
    await download("PyPI", words, { cwd: made, env: { PYTHONPATH: wheel.trim() } });
  });
}

/** Says where the wheel of pip is that `ensurepip` installs: Debian keeps it elsewhere. */
const PIP = `
import ensurepip, glob, os, sysconfig
folders = [sysconfig.get_config_var("WHEEL_PKG_DIR"), os.path.dirname(ensurepip.__file__) + "/_bundled"]
print(*[wheel for folder in folders if folder for wheel in glob.glob(folder + "/pip-*.whl")][:1])
`;
