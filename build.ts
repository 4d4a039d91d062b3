/**
 * Builds what the npm package ships: `deno run -A build.ts` bundles `src/` into JavaScript in
 * `dist/`, because Deno refuses TypeScript inside node_modules, and the console into
 * `dist/console/`. What others wrote is bundled with both (decision 49): npm installs Deno alone.
 * What is loaded late in a clone is loaded late here too, and each module's file stands above it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type OutputChunk, rolldown } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { buildConsole } from "./console/build.js";
import { endpoints } from "./src/reference/registry.ts";
import { bundle, ENTRIES, isInstalled, packageOf, shipped } from "./tools/bundle.ts";
import { writeDocuments } from "./tools/documents.ts";
import { helpFileText } from "./tools/help-file.ts";
import { buildReference } from "./tools/reference-page.js";
import { makeSbom, writeSbom } from "./tools/sbom.ts";

const dist = "dist";

rmSync(dist, { recursive: true, force: true });
await buildConsole();

const bom = makeSbom();
const program = await bundle();
holdAgainst(bom, program);
const built = new Set(writeProgram(program));

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

/** Writes the program, and gives the files' names. */
function writeProgram(files: readonly OutputChunk[]): string[] {
  const { folder, texts } = shipped(files);
  mkdirSync(`${dist}/${folder}`, { recursive: true });
  const all = [
    ...texts.map(([name, text]) => [`${folder}/${name}`, text] as const),
    ...Object.keys(ENTRIES).map((name) => [`${name}.js`, startOf(`${folder}/${name}`)] as const),
  ];
  for (const [name, text] of all) writeFileSync(`${dist}/${name}`, text);
  return all.map(([name]) => name);
}

function startOf(path: string): string {
  return `import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./${path}.cjs");\n`;
}

/** Throws where a file imports what is not there, or holds a library that no bill names. */
function holdAgainst(bom: ReturnType<typeof makeSbom>, files: readonly OutputChunk[]): void {
  const named = new Set(bom.components.map(({ name }) => name));
  const there = new Set(files.map(({ fileName }) => fileName));
  for (const { fileName, imports, dynamicImports, moduleIds } of files) {
    if (fileName.includes("/")) throw new Error(`${fileName} is in a folder of its own`);
    for (const name of [...imports, ...dynamicImports]) {
      if (!there.has(name) && !name.startsWith("node:") && !isInstalled(name)) {
        throw new Error(`${fileName} imports ${name}, which package.json doesn't list`);
      }
    }
    for (const id of moduleIds) {
      const [, path] = /.*node_modules\/(.+)$/.exec(id) ?? [];
      if (path !== undefined && !named.has(packageOf(path))) {
        throw new Error(`${packageOf(path)} is bundled, but not by what tools/sbom.ts names`);
      }
    }
  }
}
