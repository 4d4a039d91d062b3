// The file of contexts and the keyring's program, as the launcher finds them for the program, which
// knows neither the home directory nor PATH.

import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import process from "node:process";

/**
 * The file that KEYDESK_CONTEXTS names, or keydesk/contexts.json in the folder for settings of
 * programs; "" where there is no such folder, as for a service without a home directory. A link is
 * followed, so that the file itself is replaced.
 */
export function contextsFile(env, cwd) {
  const { KEYDESK_CONTEXTS: named, XDG_CONFIG_HOME: config, HOME: home, APPDATA: data } = env;
  const homes = process.platform === "win32" ? [data] : [config, home && join(home, ".config")];
  const folder = homes.find((one) => one && isAbsolute(one));
  if (!named && !folder) return "";
  const file = named ? resolve(cwd, named) : join(folder, "keydesk", "contexts.json");
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** The contexts of a file; none where it is unusable, which the program then says. */
export function contextsIn(file) {
  try {
    const { current, contexts } = JSON.parse(readFileSync(file, "utf8"));
    return { current, contexts: { ...contexts } };
  } catch {
    return { contexts: {} };
  }
}

/** The program that has the system's keyring; "" where there is none. */
export function keyringProgram({ PATH: path = "" }) {
  if (process.platform === "darwin") return "/usr/bin/security";
  if (process.platform === "win32") return "";
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, "secret-tool")).find(isProgram) ?? "";
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
