// Makes what is generated of src/, in Deno: `node tools/generate.js`. Plain Node 20 without dependencies, since `npm ci`
// runs it, and the launcher of a clone where something is missing or older than its sources.
//
// `--if-older`: only then. `--if-possible`: what can't be made is told of, and is no failure. `--pages`: the pages of docs/
// too.

import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CannotRun, findDeno } from "../bin/find-deno.js";
import { isolation } from "../bin/isolation.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What is made and ignored by git, by its path in the repository. */
export const MADE_FILES = [
  "console/api/endpoints.ts",
  "console/api/job-endpoints.ts",
  "console/api/view-endpoints.ts",
  "openapi-3.1.json",
  "openapi.json",
  "src/client/operations.ts",
  "src/endpoints.ts",
  "src/reference/registry.ts",
  "src/route-table.ts",
  "src/transactions.ts",
];

/** The one whose time says when all were made: as they were then the sources were read. */
export const STAMP = "src/route-table.ts";

/** Makes everything. Throws CannotRun, in words for the person at the terminal. */
export function generate(...words) {
  const granted = [
    `--allow-read=${escaped(root)}`,
    `--allow-write=${escaped(root)}`,
    "--allow-env",
  ];
  const run = [...isolation, "--quiet", ...granted, join(root, "tools", "generate.ts"), ...words];
  const { status, error, stderr } = spawnSync(findDeno(), ["run", ...run], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
  });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new CannotRun(`what is generated of ${join(root, "src")} can't be made: ${why}`);
}

/** Makes everything where a part of it is missing, or older than a file that it is made of. Throws CannotRun. */
export function generateIfOlder() {
  if (!isCurrent()) generate();
}

/** Whether all of it is there, and nothing that it is made of has changed since. */
function isCurrent() {
  const madeAt = new Map(MADE_FILES.map((path) => [join(root, path), timeOf(join(root, path))]));
  const stamp = madeAt.get(join(root, STAMP));
  if ([...madeAt.values()].includes(undefined)) return false;
  const isOlder = (path) => madeAt.has(path) || timeOf(path) <= stamp;
  return [...sources(join(root, "src")), ...sources(join(root, "tools"))].every(isOlder) &&
    isOlder(join(root, "package.json"));
}

/** Every file below a folder, and every folder: its time changes where a file comes or goes. */
function* sources(folder) {
  const holdsMade = MADE_FILES.some((path) => join(root, path, "..") === folder);
  if (!holdsMade) yield folder;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else yield path;
  }
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Deno splits lists of paths at single commas. */
function escaped(path) {
  return path.replaceAll(",", ",,");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  try {
    if (words.includes("--if-older")) generateIfOlder();
    else generate(...words.filter((word) => word === "--pages"));
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    console.error(error.message);
    if (!words.includes("--if-possible")) process.exitCode = 1;
  }
}
