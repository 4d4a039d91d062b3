// Bundles the reference page's script and styles into dist/reference, packed:
// `node tools/reference-page.js`. Swagger UI comes as the module that its package has for such
// bundles; what this page never needs of it is left out below. Plain Node, since `npm ci` runs it
// before anything else was installed.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const PAGE = at("src/reference/page");
const OUT_DIR = at("dist/reference");

/** The files of the page. */
const FILES = ["reference.js", "reference.css"];

/**
 * What stands in the place of modules that this page never needs: its document is JSON of this
 * server, in OpenAPI 3.2, and refers to nothing outside itself.
 */
const LEFT_OUT = [
  // Other editions of OpenAPI, and the resolver of references that a third of Swagger UI's weight
  // is of. What is left resolves the document's own references.
  [
    /^swagger-client\/es\/resolver\/strategies\/(openapi|json-schema)-/,
    "export default { match: () => false };",
  ],
  [
    /^@swagger-api\/apidom-reference\/configuration\/empty$/,
    "export const url = { resolve: (base, path) => new URL(path, base).href, isHttpUrl: (text) => /^https?:/.test(text) };",
  ],
  // No call here has a cookie of its own, and the one server's address no template.
  [
    /^@swaggerexpert\/cookie$/,
    "export const serializeCookie = () => ''; export const cookieValueStrictPercentEncoder = String, " +
    "cookieNameLenientValidator = Boolean, cookieValueStrictValidator = Boolean, identity = String;",
  ],
  [
    /^openapi-server-url-templating$/,
    "export const test = () => false; export const substitute = String;",
  ],
  // Each path of the document is literals and names in braces, for which it brings a parser of
  // grammars.
  [
    /^openapi-path-templating$/,
    "export const resolve = (template, values, { encoder }) => template.replace(/\\{([^{}]+)\\}/g, " +
    "(whole, name) => Object.hasOwn(values, name) ? encoder(values[name], name) : whole);",
  ],
  // Texts that a pattern takes are no better as examples than any word.
  [/^randexp$/, "export default class { gen() { return 'string'; } }"],
  // The document is JSON, and so is what people type.
  [
    /^js-yaml$/,
    "export const JSON_SCHEMA = null; " +
    "export default { load: (text) => JSON.parse(text), dump: (value) => JSON.stringify(value) };",
  ],
  // The document's texts are paragraphs with code in them, which texts.js shows: no HTML is made of
  // anything.
  [
    /^remarkable$/,
    "export class Remarkable { block = { ruler: { enable() {} } }; set() {} }",
  ],
  [/^remarkable\/linkify$/, "export const linkify = null;"],
  [/^dompurify$/, "export default () => ({});"],
  // Colours in examples and answers would take 20 kB.
  [
    /^react-syntax-highlighter\//,
    "const none = () => null; none.registerLanguage = () => {}; export default none;",
  ],
  // Hashes and buffers are for OAuth and files of Node.
  [/^(to-buffer|buffer)$/, "export const Buffer = class {}; export default Buffer;"],
  // What every browser has.
  [/^@babel\/runtime-corejs3\/helpers\/extends$/, "export default Object.assign;"],
  [
    /^@babel\/runtime-corejs3\/core-js-stable\/instance\/includes$/,
    "export default (list) => list.includes;",
  ],
  [/^@swagger-api\/apidom-error$/, "export const ApiDOMStructuredError = Error;"],
  // Of lodash/fp two functions, for which it brings all of itself.
  [
    /^lodash\/fp\/(set|assocPath)$/,
    "import { setIn } from 'immutable'; export default (path, value, whole) => " +
    "setIn(whole, typeof path === 'string' ? path.split('.') : path, value);",
  ],
];

const PREFIX = "\0left-out:";
const leftOut = {
  name: "left-out",
  enforce: "pre",
  resolveId(id) {
    const index = LEFT_OUT.findIndex(([pattern]) => pattern.test(id));
    return index < 0 ? null : `${PREFIX}${index}`;
  },
  load(id) {
    return id.startsWith(PREFIX) ? LEFT_OUT[Number(id.slice(PREFIX.length))][1] : null;
  },
};

/** Builds and packs. Leaves nothing of an older build behind. */
export async function buildReference(outDir = OUT_DIR) {
  const { build } = await import("vite");
  const { output } = await build({
    root: PAGE,
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [leftOut],
    resolve: {
      alias: [
        { find: /^react$/, replacement: "preact/compat" },
        { find: /^react-dom$/, replacement: join(PAGE, "react-dom.js") },
        {
          find: /^swagger-ui$/,
          replacement: at("node_modules/swagger-ui-react/swagger-ui-es-bundle-core.js"),
        },
      ],
    },
    build: {
      write: false,
      target: "es2023",
      cssTarget: ["chrome125", "firefox128", "safari17.5"],
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: FILES.map((name) => join(PAGE, name)),
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
  for (const name of FILES) {
    const file = output.find(({ fileName }) => fileName === name);
    const bytes = Buffer.from(file.type === "chunk" ? file.code : file.source);
    writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(bytes));
    writeFileSync(join(outDir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    written.push(`${name}.br`, `${name}.gz`);
  }
  // Swagger UI's licence asks for its notice.
  for (const name of ["LICENSE", "NOTICE"]) {
    writeFileSync(join(outDir, name), readFileSync(at(`node_modules/swagger-ui-react/${name}`)));
    written.push(name);
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
