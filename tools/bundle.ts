/** Bundles the program that the package ships, with the libraries inside (decision 49). */
import { createHash } from "node:crypto";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { esmExternalRequirePlugin } from "rolldown/plugins";
import { startGroups } from "./start-groups.ts";
import { withoutSpaces } from "./without-spaces.ts";
import pkg from "../package.json" with { type: "json" };

/** Name of a program of the package ← its module. A worker is an entry: its URL starts it. */
export const ENTRIES = {
  "keydesk": "./src/cli/main.ts",
  "document-reading-thread": "./src/features/portal/my/documents/document-reading-thread.ts",
  "documents-thread": "./src/reference/documents-thread.ts",
  "password-thread": "./src/kernel/passwords/password-thread.ts",
  "key-derivation-thread": "./packages/x509/key-derivation-thread.ts",
  "writer-thread": "./src/writer-thread.ts",
};

/** The packages that npm installs with this one, and those that it leaves to its users. */
const installed = { ...pkg.dependencies, ...pkg.peerDependencies };

/** Whether npm installs the package of this module, so that it is not bundled. */
export function isInstalled(name: string): boolean {
  return packageOf(name) in installed;
}

/** The package of a module. */
export function packageOf(name: string): string {
  return name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
}

/** Deno takes the modules of Node by their whole names alone, and has no place for `pg-native`. */
const foundElsewhere: Plugin = {
  name: "found-elsewhere",
  resolveId(name, importer, { kind }) {
    if (name === PG_NATIVE) return `\0${name}`;
    if (!isBuiltin(name) || name.startsWith("node:")) return undefined;
    return this.resolve(`node:${name}`, importer, { kind });
  },
  // The error of `require` for a package that is not installed.
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

/**
 * Modules of libraries that no call reaches, and their contents here: nodemailer's types of
 * attachments by the names of files and its table of mail providers, and node-forge's RSA, which it
 * needs to encrypt keys.
 */
const UNREACHED: readonly (readonly [RegExp, string])[] = [
  [
    /\/nodemailer\/dist\/esm\/mime-funcs\/mime-types\.js$/,
    'const none = () => { throw new Error("mails have no files"); }; export { none as detectMimeType, none as detectExtension };',
  ],
  [/\/nodemailer\/dist\/esm\/well-known\/services\.js$/, "export const services = {};"],
  [/\/node-forge\/lib\/rsa\.js$/, 'require("./forge").jsbn = {};'],
];

const unreached: Plugin = {
  name: "unreached",
  load: (id) => UNREACHED.find(([path]) => path.test(id))?.[1],
};

/** The library that proves passkeys, with all that it needs: loaded with the first of them. */
const OF_PASSKEYS =
  /node_modules\/(@(simplewebauthn|peculiar|hexagon|levischuck)\/|(asn1js|pvtsutils|pvutils|reflect-metadata|tslib|tsyringe)\/)/;

/**
 * The files of the program. Local names are short; functions and classes keep theirs, so a stack
 * names them. `map`: with the maps from the files' lines to the sources.
 */
export async function bundle({ map = false } = {}): Promise<readonly OutputChunk[]> {
  const groupOf = startGroups(ROOT);
  const made = await rolldown({
    input: ENTRIES,
    platform: "neutral",
    // Modules are CommonJS here (decision 83): each knows its folder and not its address. That
    // folder is beside the threads and the files which a module finds by its address.
    transform: {
      define: { "import.meta.url": 'require("node:url").pathToFileURL(__dirname).href' },
    },
    resolve: {
      mainFields: ["module", "main"],
      conditionNames: ["node"],
      // Once, and not a second time as CommonJS or of another release.
      alias: {
        "@opentelemetry/api": join(MODULES, "@opentelemetry/api/dist/index.mjs"),
        "tslib": join(MODULES, "tslib/tslib.es6.mjs"),
      },
    },
    external: isInstalled,
    // Groups of files ask for it.
    preserveEntrySignatures: "allow-extension",
    plugins: [
      foundElsewhere,
      pageScripts,
      unreached,
      esmExternalRequirePlugin({ external: [/^node:/] }),
    ],
  });
  const { output } = await made.generate({
    format: "cjs",
    sourcemap: map && "hidden",
    // All files side by side.
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: { compress: false, mangle: { toplevel: true, keepNames: true }, codegen: false },
    // Within a file modules stand in the order of their imports, across files not always: tsyringe
    // throws where reflect-metadata was not there before it.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: "passkeys", test: OF_PASSKEYS },
        // Not within the entry: a file that imports it would begin the program.
        { name: "start-writer", test: /\/(start-writer|sqlite-threaded-writer)\.ts$/ },
        { name: groupOf, debugName: "starts" },
      ],
    },
    // The notices that licences ask for; the others are for readers of the source.
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await made.close();
  return output.filter((file) => file.type === "chunk");
}

/**
 * The texts of these files as they are shipped, by their names, and their folder's name, which says
 * which build they are. After an upgrade a server that still runs finds no file of its own: it must
 * load none of another build, in which short names mean other things.
 */
export function shipped(files: readonly OutputChunk[]) {
  const texts = files.map(({ fileName, code }) =>
    [fileName, inAscii(withoutSpaces(fileName, code))] as const
  );
  const hash = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  return { folder: `program-${hash.slice(0, 8)}`, texts };
}

/** The engine takes twice the memory for a source with one character beyond Latin 1. */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const ROOT = dirname(import.meta.dirname ?? "");
const MODULES = join(ROOT, "node_modules");
