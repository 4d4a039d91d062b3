// Has Deno write the OpenAPI documents into dist/documents: `node tools/documents.js`. Plain Node, since `npm ci` runs it.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Deno as npm brought it. Throws where it is not installed. */
function deno() {
  return join(dirname(createRequire(import.meta.url).resolve("deno/package.json")), "bin.cjs");
}

/** `--if-possible`: where they can't be written a server writes them itself, with the first call. */
try {
  const words = [deno(), "run", "-A", "--quiet", join(root, "tools", "documents.ts")];
  const { status, error } = spawnSync(process.execPath, words, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw error ?? new Error(`Deno ended with ${status}`);
} catch (error) {
  if (!process.argv.includes("--if-possible")) throw error;
  console.error(`The OpenAPI documents were not written (${error.message}).`);
}
