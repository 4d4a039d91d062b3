// Installs what only tests, benchmarks and the check of types need: `node tools/test-packages.js`,
// by every npm script that needs it. `npm ci` fetches half for it. Plain Node 20. The versions and
// their integrity are those of tools/test-packages/package-lock.json. Imports find them, since each
// is linked into node_modules where that has no package of the name.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "tools", "test-packages");
const from = join(folder, "node_modules");
const into = join(root, "node_modules");

install();
for (const name of readdirSync(from).filter((name) => !name.startsWith("."))) {
  if (!name.startsWith("@")) link(name);
  else for (const one of readdirSync(join(from, name))) link(join(name, one));
}

for (const name of readdirSync(join(from, ".bin"))) link(join(".bin", name));

/** As the lock file says, once for each of its contents. */
function install() {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const stamp = join(from, ".lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const { status } = spawnSync(npm, ["ci", "--ignore-scripts"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(1);
  writeFileSync(stamp, lock);
}

/** Leaves what npm installed; a link that leads nowhere is made anew. */
function link(name) {
  const path = join(into, name);
  if (existsSync(path)) return;
  if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(relative(dirname(path), join(from, name)), path, "junction");
}
