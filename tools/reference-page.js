// Bundles the reference page's script and styles into dist/reference, packed:
// `node tools/reference-page.js`. They stand in console/reference. Plain Node, since `npm ci` runs
// it before anything else was installed.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const PAGE = at("console/reference");
const OUT_DIR = at("dist/reference");

/** Builds and packs. Leaves nothing of an older build behind. */
export async function buildReference(outDir = OUT_DIR) {
  const { build } = await import("vite");
  const { output } = await build({
    root: PAGE,
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2023",
      cssTarget: ["chrome125", "firefox128", "safari17.5"],
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: [join(PAGE, "reference.tsx"), join(PAGE, "reference.css")],
        output: {
          comments: { legal: false },
          entryFileNames: "[name].js",
          assetFileNames: "[name][extname]",
        },
      },
    },
  });
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const written = [];
  for (const name of ["reference.js", "reference.css"]) {
    const file = output.find(({ fileName }) => fileName === name);
    const bytes = Buffer.from(file.type === "chunk" ? file.code : file.source);
    writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(bytes));
    written.push(`${name}.br`);
  }
  return written;
}

/**
 * `--if-possible`: what `npm ci` runs. Where it can't be built the server still starts, without the
 * page.
 */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildReference().catch((error) => {
    if (!process.argv.includes("--if-possible")) throw error;
    const reason = error.code === "ERR_MODULE_NOT_FOUND" ? "vite is not installed" : error.message;
    console.error(`The reference page was not built (${reason}). npm ci, then: npm run build`);
  });
}
