// Builds the console into dist/console: `node console/build.js`, or `npm run build` with all the rest. Plain Node, so
// that `npm ci` can run it in a fresh clone before anything else was installed; quick, since every `npm ci` waits.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL(".", import.meta.url));
const OUT_DIR = fileURLToPath(new URL("../dist/console/", import.meta.url));

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Screens that are loaded when one of them is opened. */
const otherScreens = /[\\/]screens[\\/](certificates|developers|plans|activity|settings)[\\/]/;

/** What the way to the first key, the catalogue and the brand need besides, and what tries a fresh key. */
const newcomers =
  /[\\/]screens[\\/](start[\\/]|catalogue[\\/]|settings[\\/](brand|logo))|[\\/]parts[\\/](api-form|try-key-panel)\.|[\\/]api[\\/]apis\./;

/** Who is told of changes: deliveries, targets, and what drawers say of both. */
const deliveries =
  /[\\/]screens[\\/](deliveries[\\/]|settings[\\/]target)|[\\/]parts[\\/](told-panel|topics|delivery-words)\.|[\\/]api[\\/]targets\.|[\\/]topics\.contract\./;

/** What a target of mails is made, worded and looked at with. */
const mails = /[\\/]screens[\\/]settings[\\/]mail|[\\/]contract[\\/]mail-(kinds|names)\./;

/** What is told of ends: the rules, and what drawers of certificates and keys say of it. */
const alerts =
  /[\\/]parts[\\/]alert-panel\.|[\\/]screens[\\/](settings[\\/]alert-rules|certificates[\\/]care)\./;

/** What is loaded when a key, a plan or a developer is first shown in full. */
const usageChart = /[\\/]parts[\\/]usage-chart\./;

/** What is loaded when one signs in over a page, or looks where one is signed in. */
const session = /[\\/](sign-in-over|own-sessions|your-facts)\./;

/**
 * Stands in for Vite's own helper around `import()`: what it would load ahead of a screen is there by then, as there
 * is one file of styles, and one of script beside the first.
 */
const plainImports = {
  name: "plain-imports",
  enforce: "pre",
  load: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => "export const __vitePreload = (load) => load();",
  },
};

/** Builds and compresses. Leaves no half of an older build behind. */
export async function buildConsole(outDir = OUT_DIR) {
  const { build } = await import("vite");
  rmSync(outDir, { recursive: true, force: true });
  await build({
    root,
    base: "/console/",
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [plainImports],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      // What knows light-dark() needs no second copy of each colour.
      cssTarget: ["chrome125", "firefox128", "safari17.5"],
      modulePreload: { polyfill: false },
      // A data: URL is neither cached nor allowed everywhere.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          comments: { legal: false },
          // Two files of script: what most people come for, and the rest; and beside them the chart of use, and what
          // a desk's first hour needs. A file for each screen, with the small ones that they share, would be a sixth
          // more to load in all, and more for the first screen too.
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              { name: "session", test: session, priority: 3 },
              { name: "usage", test: usageChart, priority: 3 },
              { name: "mails", test: mails, priority: 4 },
              { name: "deliveries", test: deliveries, priority: 3 },
              { name: "alerts", test: alerts, priority: 3 },
              { name: "newcomers", test: newcomers, priority: 3 },
              { name: "others", test: otherScreens, priority: 2 },
              {
                name: "main",
                test: (id) =>
                  ![otherScreens, usageChart, newcomers, session, deliveries, mails, alerts].some((
                    one,
                  ) => one.test(id)),
                priority: 1,
              },
            ],
          },
        },
      },
    },
  });
  compress(outDir);
}

/**
 * Writes each file's brotli and gzip edition beside it, and `files.json`: what the server may answer with, and
 * nothing else it does.
 */
function compress(outDir) {
  const files = {};
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = readFileSync(path);
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    const gzip = gzipSync(bytes, { level: 9 });
    writeFileSync(`${path}.br`, brotli);
    writeFileSync(`${path}.gz`, gzip);
    const name = relative(outDir, path).split(sep).join("/");
    const type = types[extname(name)];
    if (type === undefined) throw new Error(`${name}: of which type is it?`);
    files[name] = {
      type,
      etag: createHash("sha256").update(bytes).digest("hex").slice(0, 32),
      sizes: { identity: bytes.length, gzip: gzip.length, br: brotli.length },
    };
  }
  writeFileSync(join(outDir, "files.json"), JSON.stringify(files));
}

/** `--if-possible`: what `npm ci` runs. Where it can't be built the server still starts, and says how to. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildConsole().catch((error) => {
    if (!process.argv.includes("--if-possible")) throw error;
    const reason = error.code === "ERR_MODULE_NOT_FOUND" ? "vite is not installed" : error.message;
    console.error(`The console was not built (${reason}). npm ci, then: npm run build`);
  });
}
