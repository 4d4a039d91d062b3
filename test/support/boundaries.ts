/**
 * The order of the house: who may import whom. ARCHITECTURE.md draws it; boundaries.test.ts holds
 * it.
 */
import { MADE_FILES } from "../../tools/generate.js";
import { findCycle, type Module } from "./modules.ts";

/**
 * The storeys of src/ from the top. A file imports its own storey or one further down; the first
 * two see all.
 */
const STOREYS = [
  "roots",
  "cli",
  "reference",
  "maintenance",
  "features",
  "http",
  "calls",
  "changes",
  "storage",
  "contract",
  "kernel",
] as const;

/** The storeys of console/, in the same way. */
const CONSOLE_STOREYS = [
  "roots",
  "reference",
  "shell",
  "screens",
  "parts",
  "api",
  "said.ts",
  "signal.ts",
] as const;

/**
 * What a file of features/ and maintenance/ may be made of, by its suffix. A file without one is
 * `plain`.
 */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  contract: ["contract", "example"],
  example: ["contract", "example"],
  store: ["store", "contract", "plain"],
  transactions: ["transactions", "store", "contract", "example", "plain"],
  service: ["service", "transactions", "store", "contract", "example", "plain"],
  operations: ["service", "transactions", "store", "contract", "example", "plain"],
  plain: ["service", "transactions", "store", "contract", "example", "plain"],
};

/** Who alone imports a package. One that no row names is not imported at all. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  "@opentelemetry/api": /^kernel\/tracing\.ts$/,
  "@multiformats/murmur3": /^features\/keys\//,
  "@noble/curves": /^packages\/x509\/elliptic-key\.ts$/,
  "@noble/hashes": /^kernel\/|^packages\/audit-log\//,
  "@noble/post-quantum": /^packages\/x509\/post-quantum\.ts$/,
  "@simplewebauthn/server": /^features\/people\/passkey-proof\.ts$/,
  "age-encryption": /^maintenance\/archive\/age\.ts$/,
  bcryptjs: /^kernel\/passwords\//,
  commander: /^cli\//,
  "hash-wasm": /^kernel\/(passwords\/|blake3\.ts$)/,
  "intl-messageformat": /^(features\/portal\/pages\/texts|kernel\/icu-text)\.ts$/,
  "markdown-it": /^features\/portal\/my\/documents\/markdown\.ts$/,
  jose: /^features\/people\/identity-providers\/logout-token\.ts$/,
  "openid-client": /^features\/people\/identity-providers\/provider-(answer|client)\.ts$/,
  kysely: /\.store\.ts$|^storage\//,
  "node-forge": /^packages\/x509\//,
  "node:sqlite": /^storage\/engines\//,
  nodemailer: /^features\/notifications\/smtp\.ts$/,
  otpauth: /^features\/people\/one-time-code\.ts$/,
  pg: /^storage\/engines\//,
  "prom-client": /^maintenance\/metrics\//,
  redis: /^maintenance\/import\//,
  rou3: /^http\//,
  standardwebhooks: /^features\/notifications\//,
  yaml: /^(features\/portal\/my\/documents\/api-document|cli\/declaration-files|cli\/forms)\.ts$/,
  zod:
    /^(config\.ts|settings\.ts|settings-table\.ts|features\/|maintenance\/|reference\/|http\/|contract\/|client\/|cli\/contexts-file\.ts$)/,
};

/** What src/ breaks of the house's order; a sentence each. */
export function violations(modules: readonly Module[]): string[] {
  return [
    ...modules.flatMap((module) =>
      module.imports.flatMap((name) => wrongImport(module.path, name))
    ),
    ...circles(modules),
    ...modules.flatMap(shapeProblems),
    ...modules.flatMap(besidesTheTerminal),
  ];
}

/** What of the process a command takes by `cli/terminal.ts`, so that a test can give it another. */
const OF_THE_PROCESS =
  /\bconsole\.(?!ts\b)\w+|\bDeno\.(std(in|out|err)|env|exit|args|noColor|consoleSize)\b|\bprocess\.(std(in|out|err)|env|exit|argv)\b/;

function besidesTheTerminal({ path, text }: Module): string[] {
  if (!path.startsWith("cli/") || ["cli/main.ts", "cli/terminal.ts"].includes(path)) return [];
  const [found] = OF_THE_PROCESS.exec(text) ?? [];
  return found === undefined ? [] : [`${path} says ${found}: what a command has is its terminal's`];
}

function wrongImport(path: string, name: string): string[] {
  const why = isOurs(name) ? wrongArrow(path, name) : wrongPackage(path, name);
  return why === undefined ? [] : [`${path} imports ${name}: ${why}`];
}

function wrongArrow(path: string, name: string): string | undefined {
  if (name.startsWith("../packages/")) return undefined;
  const [from, to] = [storeyOf(path), storeyOf(name)];
  if (from === "client") return wrongForClient(path, name);
  if (from === "roots" || from === "cli") return undefined;
  if (to === "client" || STOREYS.indexOf(to) < STOREYS.indexOf(from)) {
    return `${to} is above ${from}`;
  }
  if (
    to === "http" && from === "features" &&
    !["operations", "plain"].includes(suffixOf(path))
  ) {
    return `a ${suffixOf(path)} knows no wire`;
  }
  if (!hasSuffixes(from) || !hasSuffixes(to)) return undefined;
  // A declaration is applied by the operations of what it declares.
  const isDeclaring = path.startsWith("features/config/") && suffixOf(path) === "plain";
  if (isDeclaring && suffixOf(name) === "operations") return undefined;
  const allowed = SUFFIXES[suffixOf(path)] ?? [];
  return allowed.includes(suffixOf(name))
    ? undefined
    : `a ${suffixOf(path)} is not made of a ${suffixOf(name)}`;
}

/** The published client is made of its own files; the one for tests is typed by the contract. */
function wrongForClient(path: string, name: string): string | undefined {
  if (name.startsWith("client/")) return undefined;
  const isForTests = path === "client/client.ts";
  return isForTests && /^(contract\/|kernel\/failure)|\.(contract|operations)\.ts$/.test(name)
    ? undefined
    : "the client stands beside";
}

function wrongPackage(path: string, name: string): string | undefined {
  const packageName = packageOf(name);
  if (/\.json$|\?text$/.test(name)) return undefined;
  const importers = PACKAGES[packageName];
  if (!importers) {
    return name.startsWith("node:") ? undefined : "the package has no row in PACKAGES";
  }
  return importers.test(path) ? undefined : `only ${importers.source} imports ${packageName}`;
}

/** What the libraries of packages/ break; a sentence each. `modules`: those of packages/. */
export function packageViolations(modules: readonly Module[]): string[] {
  const own = modules.map(({ path, imports, ...rest }) => ({
    ...rest,
    path: `packages/${path}`,
    imports: imports.map((name) => isOurs(name) ? `packages/${name}` : name),
  })).filter(({ path }) => !path.includes("/test/"));
  const libraryOf = (path: string) => path.split("/").slice(0, 2).join("/");
  const circle = findCycle(new Map(own.map(({ path, imports }) => [path, imports.filter(isOurs)])));
  return [
    ...own.flatMap(({ path, imports }) =>
      imports.flatMap((name) => {
        const why = !isOurs(name)
          ? wrongPackage(path, name)
          : libraryOf(name) === libraryOf(path)
          ? undefined
          : "a library imports its own files alone";
        return why === undefined ? [] : [`${path} imports ${name}: ${why}`];
      })
    ),
    ...circle ? [`a circle: ${circle.join(" → ")}`] : [],
    ...own.flatMap(shapeProblems),
  ];
}

function circles(modules: readonly Module[]): string[] {
  const files = new Map(modules.map(({ path, imports }) => [path, imports.filter(isOurs)]));
  const features = new Map<string, string[]>();
  for (const [path, imports] of files) {
    const from = featureOf(path);
    if (from === undefined) continue;
    const others = imports.map(featureOf).filter((to) => to !== undefined && to !== from);
    // as: what is undefined was left out one line above.
    features.set(from, [...features.get(from) ?? [], ...others as string[]]);
  }
  return [findCycle(files), findCycle(features)].flatMap((circle) =>
    circle ? [`a circle: ${circle.join(" → ")}`] : []
  );
}

/** A file that has grown too long, and a file that only passes on what others export. */
function shapeProblems({ path, lines, text }: Module): string[] {
  if (GENERATED.includes(path)) return [];
  const passesOn = /\bexport\s+\*|\bexport\s+(type\s+)?\{[^}]*\}\s+from\b/.test(text);
  return [
    ...lines > LONGEST ? [`${path} has ${lines} lines; ${LONGEST} are too many for one idea`] : [],
    ...passesOn && path !== PUBLISHED ? [`${path} only passes on what others export`] : [],
  ];
}

const LONGEST = 500;
const GENERATED = MADE_FILES.map((path) => path.replace(/^(src|console)\//, ""));
/** Names in one place what the package publishes. */
const PUBLISHED = "client/keydesk-client.ts";

/** What the console breaks of its order; a sentence each. `modules`: those of console/. */
export function consoleViolations(modules: readonly Module[]): string[] {
  const storey = (path: string): string => {
    const [first = ""] = path.split("/");
    if (path === "screens.ts") return "screens";
    return (CONSOLE_STOREYS as readonly string[]).includes(first) ? first : "roots";
  };
  const rank = (path: string) => (CONSOLE_STOREYS as readonly string[]).indexOf(storey(path));
  const wrong = modules.flatMap(({ path, imports }) =>
    imports.flatMap((name) => {
      const say = (why: string) => [`${path} imports ${name}: ${why}`];
      if (name.startsWith("../")) return OF_THE_SERVER.test(name) ? [] : say("it is the server's");
      // The place of styles that are read with a screen.
      if (/\.css\?url$/.test(name)) return [];
      if (!/\.tsx?$/.test(name)) {
        return BUNDLED.includes(packageOf(name)) ? [] : say("the build bundles no such package");
      }
      if (rank(name) < rank(path)) return say(`${storey(name)} is above ${storey(path)}`);
      const [own, other] = [screenOf(path), screenOf(name)];
      return own && other && own !== other ? say("a screen knows no other screen") : [];
    })
  );
  const circle = findCycle(
    new Map(
      modules.map(({ path, imports }) => [path, imports.filter((one) => /\.tsx?$/.test(one))]),
    ),
  );
  return [
    ...wrong,
    ...circle ? [`a circle: ${circle.join(" → ")}`] : [],
    ...modules.flatMap(schemasLoaded),
    ...modules.flatMap(shapeProblems),
  ];
}

/**
 * The console knows the server by its client and its contracts; foreign texts show alike in both.
 */
const OF_THE_SERVER =
  /^\.\.\/src\/(client\/|contract\/|kernel\/(failure|plain-text|question-words)|.*\.(contract|operations)\.ts$)/;
const BUNDLED = ["lean-qr", "preact", "wouter-preact", "zod"];

/** Hold words alone, or a check that needs no schema. */
const WORDS =
  /\/(topics\.contract|contract\/(accent|called-certificate|checking-gateways|filled-file|filters|list-filters|changed-emails|gateway-(files|states|steps)|job-kinds|mail-(kinds|names|placeholders)|provider-presets|audit-proof))\.ts$/;

/** Contracts are types to the console: a schema would be half of what a browser loads. */
function schemasLoaded({ path, loads }: Module): string[] {
  return loads.filter((name) => /\.(contract|operations)\.ts$|\/src\/contract\/|^zod$/.test(name))
    .filter((name) => !WORDS.test(name))
    .map((name) => `${path} loads ${name}: contracts are types to the console`);
}

/** Files that the console's browser loads and that need a file, a socket or an environment. */
export function notForBrowsers(modules: readonly Module[]): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const reached = new Set(
    modules.map(({ path }) => path).filter((path) =>
      path.startsWith("client/") || path.startsWith("contract/") || suffixOf(path) === "contract"
    ),
  );
  for (const path of reached) {
    for (const name of byPath.get(path)?.imports.filter(isOurs) ?? []) reached.add(name);
  }
  return modules.filter(({ path, text, imports }) =>
    reached.has(path) &&
    (/\bDeno\./.test(text) || imports.some((name) => name.startsWith("node:")))
  ).map(({ path }) => `${path} is loaded by browsers and needs more than they have`);
}

type Storey = typeof STOREYS[number];

function storeyOf(path: string): Storey | "client" {
  const [first = ""] = path.split("/");
  // as: a folder that is no storey is told by the test of the folders.
  return path.includes("/") ? first as Storey | "client" : "roots";
}

/** The folders of src/ that are no storey. */
export function strangeFolders(modules: readonly Module[]): string[] {
  const known: readonly string[] = [...STOREYS, "client"];
  return [...new Set(modules.map(({ path }) => storeyOf(path)))].filter((one) =>
    !known.includes(one)
  );
}

function hasSuffixes(storey: string): boolean {
  return storey === "features" || storey === "maintenance";
}

function suffixOf(path: string): string {
  return /\.(contract|example|operations|store|transactions|service)\.ts$/.exec(path)?.[1] ??
    "plain";
}

function featureOf(path: string): string | undefined {
  return /^features\/([^/]+)\//.exec(path)?.[1];
}

function screenOf(path: string): string | undefined {
  return /^screens\/([^/]+)\//.exec(path)?.[1];
}

function isOurs(name: string): boolean {
  return name.endsWith(".ts");
}

function packageOf(name: string): string {
  return name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
}
