// Makes what is generated of src/, in Deno: `node tools/generate.js`. Plain Node 20 without
// dependencies, since `npm ci` runs it, and the launcher of a clone where something is missing or
// older than its sources.
//
// `--if-older`: only then. `--if-possible`: what can't be made is told of, and is no failure.
// `--pages`: what is made and checked in too, pages of docs/ and bin/verbs.json.

import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { CannotRun, findDeno } from "../bin/find-deno.js";
import { isolation } from "../bin/isolation.js";
import { helpOf } from "../bin/told.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What is made and ignored by git, by its path in the repository. */
export const MADE_FILES = [
  "console/api/endpoints.ts",
  "console/api/alert-endpoints.ts",
  "console/api/decision-endpoints.ts",
  "console/api/identity-endpoints.ts",
  "console/api/job-endpoints.ts",
  "console/api/temporary-access-endpoints.ts",
  "console/api/policy-endpoints.ts",
  "console/api/unused-endpoints.ts",
  "console/api/gateway-endpoints.ts",
  "console/api/migration-endpoints.ts",
  "console/api/session-endpoints.ts",
  "console/api/sign-in-endpoints.ts",
  "console/api/channel-endpoints.ts",
  "console/api/config-endpoints.ts",
  "console/api/token-endpoints.ts",
  "console/api/view-endpoints.ts",
  "openapi-3.1.json",
  "openapi.json",
  "src/client/operations.ts",
  "src/contract/gateway-files.ts",
  "src/endpoints.ts",
  "src/reference/registry.ts",
  "src/route-table.ts",
  "src/transactions.ts",
];

/** The one whose time says of when the sources were that all are made of. */
export const STAMP = "src/route-table.ts";

/** Makes everything but the help. Throws CannotRun, in words for the person at the terminal. */
export function generate(...words) {
  run("made-files.ts", ...words);
}

/** A program of tools/, to its end. */
function run(program, ...words) {
  const granted = [
    `--allow-read=${escaped(root)}`,
    `--allow-write=${escaped(root)}`,
    "--allow-env",
  ];
  const args = [...isolation, "--quiet", ...granted, join(root, "tools", program), ...words];
  const { status, error, stderr } = spawnSync(findDeno(), ["run", ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
  });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new CannotRun(`what is generated of ${join(root, "src")} can't be made: ${why}`);
}

/**
 * Makes everything where a part of it is missing, or older than a file that it is made of. Throws
 * CannotRun.
 */
export function generateIfOlder() {
  if (!isCurrent()) generate();
}

/** Whether all of it is there, and nothing that it is made of has changed since. */
function isCurrent() {
  const times = MADE_FILES.map((path) => timeOf(root + path));
  if (times.includes(undefined)) return false;
  const madeAt = timeOf(root + STAMP);
  const changed = (path) => timeOf(root + path) > madeAt;
  return !changed("package.json") && !changedBelow("src", SOURCE, changed) &&
    !changedBelow("tools", /./, changed) && !changedBelow("docs/gateways", /./, changed);
}

/**
 * Of what is in src/: files that declare something, and all that contracts and documents are made
 * of, which test/boundaries.test.ts holds them to.
 */
const SOURCE =
  /\.(contract|example|operations|transactions)\.ts$|^src\/(contract|kernel|reference)\//;

/**
 * Folders count: their time changes where a file comes or goes. Those of files that are made change
 * with these.
 */
function changedBelow(folder, source, changed) {
  if (!HOLD_MADE.has(folder) && changed(folder)) return true;
  return readdirSync(root + folder, { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return changedBelow(path, source, changed);
    return source.test(path) && !MADE_FILES.includes(path) && changed(path);
  });
}

const HOLD_MADE = new Set(MADE_FILES.map((path) => path.slice(0, path.lastIndexOf("/"))));

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
    const pages = words.filter((word) => word === "--pages");
    if (words.includes("--if-older")) generateIfOlder();
    else generate(...pages);
    // By a process of its own: it loads what was made just now.
    if (!words.includes("--if-older") || !helpOf(root)) run("help-file.ts", ...pages);
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    console.error(error.message);
    if (!words.includes("--if-possible")) process.exitCode = 1;
  }
}
