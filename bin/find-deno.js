// Where npm put Deno. Plain Node 20, nothing that relies on install scripts having run.

import { accessSync, chmodSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";

/** A reason why this installation can't run, in words for the person at the terminal. */
export class CannotRun extends Error {}

/** The dynamic loaders that Deno's Linux binaries ask for. */
const loaders = { x64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" };

/**
 * The Deno binary of the package @deno/<platform>, which npm installs with the package deno. Throws
 * CannotRun.
 */
export function findDeno() {
  const { platform, arch } = process;
  if (platform === "linux" && loaders[arch] && !existsSync(loaders[arch])) {
    throw new CannotRun(
      `${loaders[arch]} is absent: Deno needs glibc, it does not run on musl (Alpine)`,
    );
  }
  const target = `${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`;
  const deno = join(dirname(resolvePlatform(target)), platform === "win32" ? "deno.exe" : "deno");
  try {
    accessSync(deno, constants.X_OK);
  } catch {
    makeExecutable(deno);
  }
  return deno;
}

function resolvePlatform(target) {
  let deno;
  try {
    deno = createRequire(import.meta.url).resolve("deno/package.json");
  } catch {
    throw new CannotRun(
      "the npm package deno is missing. Run npm ci (or npm install keydesk) again",
    );
  }
  try {
    return createRequire(deno).resolve(`@deno/${target}/package.json`);
  } catch {
    throw new CannotRun(
      `the npm package @deno/${target} is missing. Install without --omit=optional; ` +
        "Deno runs on Linux with glibc, macOS and Windows, each x64 and arm64",
    );
  }
}

/** Some package managers drop the executable bit. */
function makeExecutable(file) {
  try {
    chmodSync(file, 0o755);
  } catch (error) {
    throw new CannotRun(`${file} can't be run: ${error.message}`);
  }
}
