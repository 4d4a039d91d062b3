/**
 * Builds what the npm package ships: `deno run -A build.ts` bundles `src/` into JavaScript in `dist/`, because
 * Deno refuses TypeScript inside node_modules, and the console into `dist/console/`. The server's dependencies stay
 * imports, which npm installs with the package, but for those of many small files that every command loads
 * (`bundledForCommands`). The console's are bundled.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { rolldown } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { buildConsole } from "./console/build.js";
import { endpoints } from "./src/reference/registry.ts";
import { writeDocuments } from "./tools/documents.ts";
import { helpFileText } from "./tools/help-file.ts";
import { buildReference } from "./tools/reference-page.js";
import { bundledForCommands, writeSbom } from "./tools/sbom.ts";
import pkg from "./package.json" with { type: "json" };

/** File in `dist/` (without `.js`) ← its module. A worker is an entry, because it is started by its URL. */
const entries = {
  "keydesk": "./src/cli/main.ts",
  "document-reading-thread": "./src/features/my/documents/document-reading-thread.ts",
  "documents-thread": "./src/reference/documents-thread.ts",
  "password-thread": "./src/kernel/passwords/password-thread.ts",
  "pkcs12-derivation-thread": "./src/features/certificates/reading/pkcs12-derivation-thread.ts",
  "writer-thread": "./src/writer-thread.ts",
};

const dist = "dist";

rmSync(dist, { recursive: true, force: true });
await buildConsole();

const bundle = await rolldown({
  input: entries,
  platform: "neutral",
  // Every other bare name; what may be among them is checked below.
  external: (name) =>
    /^(?![./]|[A-Za-z]:[\\/])/.test(name) && !bundledForCommands.includes(packageOf(name)),
});
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  sourcemap: false,
  // All files side by side: a module finds its worker beside itself, by import.meta.url.
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();

/** What npm installs with the package, and what it leaves to whoever needs it. */
const installed = { ...pkg.dependencies, ...pkg.peerDependencies };
const built = new Set(output.map((file) => file.fileName));
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

for (const name of writeSbom(dist)) built.add(name);

console.log([...built].sort().map((name) => `${dist}/${name}`).join("\n"));

/** The package whose module this is. */
function packageOf(name: string): string {
  return name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
}
