/**
 * Builds what the npm package ships: `deno run -A build.ts` bundles `src/` into JavaScript in
 * `dist/`, because Deno refuses TypeScript inside node_modules, and the console into
 * `dist/console/`. What others wrote is bundled with both (decision 49): npm installs Deno alone.
 * What is loaded late in a clone is loaded late here too, and each module's file stands above it.
 */
import { isBuiltin } from "node:module";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { buildConsole } from "./console/build.js";
import { endpoints } from "./src/reference/registry.ts";
import { writeDocuments } from "./tools/documents.ts";
import { helpFileText } from "./tools/help-file.ts";
import { buildReference } from "./tools/reference-page.js";
import { makeSbom, writeSbom } from "./tools/sbom.ts";
import pkg from "./package.json" with { type: "json" };

/** File in `dist/` (without `.js`) ← its module. A worker is an entry, because it is started by its URL. */
const entries = {
  "keydesk": "./src/cli/main.ts",
  "document-reading-thread": "./src/features/portal/my/documents/document-reading-thread.ts",
  "documents-thread": "./src/reference/documents-thread.ts",
  "password-thread": "./src/kernel/passwords/password-thread.ts",
  "key-derivation-thread": "./packages/x509/key-derivation-thread.ts",
  "writer-thread": "./src/writer-thread.ts",
};

const dist = "dist";

rmSync(dist, { recursive: true, force: true });
await buildConsole();

/** What npm installs with the package, and what it leaves to whoever needs it. */
const installed = { ...pkg.dependencies, ...pkg.peerDependencies };

/** Deno takes the modules of Node by their whole names alone, and has no place for `pg-native`. */
const foundElsewhere: Plugin = {
  name: "found-elsewhere",
  resolveId(name, importer, { kind }) {
    if (name === PG_NATIVE) return `\0${name}`;
    if (!isBuiltin(name) || name.startsWith("node:")) return undefined;
    return this.resolve(`node:${name}`, importer, { kind });
  },
  // What `require` says of what is not installed.
  load: (id) =>
    id === `\0${PG_NATIVE}`
      ? `throw Object.assign(new Error("${PG_NATIVE} is not installed"), { code: "MODULE_NOT_FOUND" });`
      : undefined,
};
const PG_NATIVE = "pg-native";

/** Scripts of pages are texts here. */
const pageScripts: Plugin = {
  name: "page-scripts",
  resolveId: (name, importer = "") =>
    name.endsWith("?text") ? join(dirname(importer), name) : undefined,
  load: (id) =>
    id.endsWith("?text")
      ? `export default ${JSON.stringify(Deno.readTextFileSync(id.slice(0, -"?text".length)))};`
      : undefined,
};

/** What proves passkeys, with all that it needs: loaded with the first of them. */
const OF_PASSKEYS =
  /node_modules\/(@(simplewebauthn|peculiar|hexagon|levischuck)\/|(asn1js|pvtsutils|pvutils|reflect-metadata|tslib|tsyringe)\/)/;

const bundle = await rolldown({
  input: entries,
  platform: "neutral",
  // Modules are CommonJS here (decision 83): each knows its file and not its address.
  transform: {
    define: { "import.meta.url": 'require("node:url").pathToFileURL(__filename).href' },
  },
  resolve: { mainFields: ["module", "main"], conditionNames: ["node"] },
  external: (name) => packageOf(name) in installed,
  // What groups of files ask for.
  preserveEntrySignatures: "allow-extension",
  plugins: [foundElsewhere, pageScripts, esmExternalRequirePlugin({ external: [/^node:/] })],
});
const { output } = await bundle.write({
  dir: dist,
  format: "cjs",
  sourcemap: false,
  // All files side by side: a module finds its worker beside itself.
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  // Within a file modules stand in the order of their imports, across files not always: tsyringe
  // throws where reflect-metadata was not there before it.
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: "passkeys", test: OF_PASSKEYS },
      // Not within the entry: what asks for it would begin the program.
      { name: "start-writer", test: /\/(start-writer|sqlite-threaded-writer)\.ts$/ },
    ],
  },
  // The notices that licences ask for; the rest is for whoever reads the source.
  comments: { legal: true, annotation: false, jsdoc: false },
});
await bundle.close();
for (const file of output) {
  if (file.type === "chunk") writeFileSync(`${dist}/${file.fileName}`, inAscii(file.code));
}
for (const name of Object.keys(entries)) {
  writeFileSync(
    `${dist}/${name}.js`,
    `import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./${name}.cjs");\n`,
  );
}

const bom = makeSbom();
const named = new Set(bom.components.map(({ name }) => name));
const built = new Set(output.map((file) => file.fileName));
for (const name of Object.keys(entries)) built.add(`${name}.js`);
for (const file of output) {
  if (file.type !== "chunk") continue;
  if (file.fileName.includes("/")) {
    throw new Error(`${file.fileName} does not stand in ${dist}/ itself`);
  }
  for (const name of [...file.imports, ...file.dynamicImports]) {
    if (!built.has(name) && !name.startsWith("node:") && !(packageOf(name) in installed)) {
      throw new Error(
        `${file.fileName} imports ${name}, which package.json doesn't list as a dependency`,
      );
    }
  }
  for (const id of file.moduleIds) {
    const [, path] = /.*node_modules\/(.+)$/.exec(id) ?? [];
    if (path !== undefined && !named.has(packageOf(path))) {
      throw new Error(`${packageOf(path)} is bundled, but not by what tools/sbom.ts names`);
    }
  }
}

// What describes the interface.
for (const name of writeDocuments(`${dist}/documents`, endpoints)) built.add(`documents/${name}`);

// The help of every command, which the launcher tells.
writeFileSync(`${dist}/help.json`, await helpFileText());
built.add("help.json");

// The reference page.
for (const name of await buildReference()) built.add(`reference/${name}`);

// The client that the package publishes: one file, and its types.
const client = await rolldown({ input: "./src/client/keydesk-client.ts", platform: "neutral" });
await client.write({ file: `${dist}/client/keydesk-client.js`, format: "esm" });
await client.close();
built.add("client/keydesk-client.js");
for (const name of ["keydesk-client", "operations", "failure"]) {
  const source = readFileSync(`src/client/${name}.ts`, "utf8");
  const { code, errors } = isolatedDeclarationSync(`${name}.ts`, source, {});
  if (errors.length > 0) throw new Error(`${name}.ts: ${errors[0]?.message}`);
  const types = code.replaceAll(/(from "\.\/[a-z-]+)\.ts"/g, '$1.js"');
  writeFileSync(`${dist}/client/${name}.d.ts`, types);
  built.add(`client/${name}.d.ts`);
}

for (const name of writeSbom(dist, bom)) built.add(name);

console.log([...built].sort().map((name) => `${dist}/${name}`).join("\n"));

/** The engine takes twice the memory for a source with one character beyond Latin 1. */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The package whose module this is. */
function packageOf(name: string): string {
  return name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
}
