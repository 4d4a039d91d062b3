/** Who may import whom: the table of the architecture, as rules that every file of src/ is held to. */
import assert from "node:assert/strict";
import { CONSOLE, findCycle, readModules } from "./support/modules.ts";

const modules = readModules();

/** Folders that carry the features; each holds one, and they may build on each other in one direction only. */
const INFRASTRUCTURE = ["lib", "contract", "http", "storage", "client", "cli"];

const folderOf = (path: string) => path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
const isFeature = (folder: string) => folder !== "" && !INFRASTRUCTURE.includes(folder);
const isContract = (path: string) =>
  path.startsWith("contract/") || /\.(contract|example)\.ts$/.test(path);
const isOurs = (name: string) => name.endsWith(".ts");

/** What a module may import of ours, and which packages. The first row that fits a module holds for it. */
interface Rule {
  readonly who: string;
  readonly fits: RegExp;
  readonly ours: readonly RegExp[];
  readonly packages: readonly string[];
}

const LIB = /^lib\//;
const OWN_CONTRACTS = /^(contract\/|.*\.(contract|example)\.ts$)/;
/** A pure module: an entity, a rule, a format. */
const PURE =
  /^(access\/(principal|person|access-credential|session)|audit\/audit|certificates\/(certificate|certificate-entry|selection)|catalogue\/((catalogue|empty)-entry|portal-ids)|credentials\/(credential|key-form|murmur)|developer-accounts\/account|developers\/developer(-text|-words)?|claims\/claim|key-requests\/(key-request|revision|search-position|search-text|show-key-request|show-native)|keys\/(key|import-line)|plans\/plan|retention\/retained|sealing\/sealer|sealing\/sealing-keys)\.ts$/;
const STORE = /\.store\.ts$/;
/** Modules that write rows as part of others' transactions. */
const IN_TRANSACTION = /^(audit|outbox|idempotency|invalidation)\//;
const STORAGE =
  /^storage\/(storage|statement|schema|list-counts|list-window|by-limit|unique-violation)\.ts$/;

const RULES: readonly Rule[] = [
  { who: "lib", fits: LIB, ours: [LIB], packages: ["@noble/hashes"] },
  {
    who: "the registry",
    fits: /^contract\/registry\.ts$/,
    ours: [OWN_CONTRACTS],
    packages: [],
  },
  {
    who: "contracts",
    fits: OWN_CONTRACTS,
    ours: [OWN_CONTRACTS, /^lib\/(failure-codes|timestamps|ids)\.ts$/],
    packages: ["zod"],
  },
  {
    who: "reading certificates",
    fits:
      /^certificates\/(?!answer-of-the-second|certificate-(cursor|entry|family|list|pages|stream)|export|selection|uploaded-file|.*\.(routes|service|store|transactions)\.ts)/,
    ours: [LIB, /^certificates\//],
    packages: ["node-forge"],
  },
  {
    who: "moving a store, which knows tables and not what they mean",
    fits: /^moving\//,
    ours: [
      ...[LIB, PURE, /^moving\//, /^storage\//],
      /^(certificates\/certificates|key-requests\/search)\.store\.ts$/,
    ],
    packages: ["kysely"],
  },
  {
    who: "stores",
    fits: STORE,
    ours: [
      ...[LIB, STORAGE, PURE, /^catalogue\/catalogue\.contract\.ts$/],
      /^certificates\/certificate-(keys|blocks)\.store\.ts$/,
      /^key-requests\/(key-requests|search)\.store\.ts$/,
      /^developers\/(developers|developer-words)\.store\.ts$/,
      /^credentials\/[a-z-]+\.store\.ts$/,
    ],
    packages: ["kysely"],
  },
  {
    who: "what writes within others' transactions",
    fits: IN_TRANSACTION,
    ours: [LIB, STORAGE, PURE, STORE, IN_TRANSACTION],
    packages: [],
  },
  {
    who: "transactions",
    fits: /\.transactions\.ts$/,
    ours: [
      LIB,
      OWN_CONTRACTS,
      STORAGE,
      STORE,
      PURE,
      IN_TRANSACTION,
      /^seed\//,
      /\.transactions\.ts$/,
    ],
    packages: [],
  },
  {
    who: "entities",
    fits: PURE,
    ours: [
      LIB,
      OWN_CONTRACTS,
      PURE,
      /^catalogue\/live-catalogue\.ts$/,
      /^developers\/developers\.store\.ts$/,
      /^key-requests\/(key-requests|native)\.store\.ts$/,
    ],
    packages: ["zod", "@multiformats/murmur3"],
  },
  {
    who: "what the certificate service is made of",
    fits:
      /^certificates\/(answer-of-the-second|certificates\.service|certificate-uploads\.service|native(-counts)?\.service|certificate-(cursor|family|pages|stream)|export|uploaded-file)\.ts$/,
    ours: [
      ...[LIB, OWN_CONTRACTS, STORAGE, STORE, PURE, /\.transactions\.ts$/, /^context\.ts$/],
      /^certificates\//,
    ],
    packages: ["zod"],
  },
  {
    who: "routes",
    fits: /\.routes\.ts$/,
    ours: [
      LIB,
      OWN_CONTRACTS,
      /\.service\.ts$/,
      /^http\/(mount|idempotency|next-page|preconditions|own-page|session-cookie|static-files)\.ts$/,
      /^(claims\/claim|reference\/reference)-page\.ts$/,
      /^version\.ts$/,
    ],
    packages: [],
  },
  {
    who: "the reference page",
    fits: /^reference\/reference-page\.ts$/,
    ours: [/^version\.ts$/],
    packages: [],
  },
  {
    who: "http",
    fits: /^http\//,
    ours: [LIB, /^http\//, /^contract\//, /^(access|abuse)\//, /^context\.ts$/],
    packages: ["hono", "zod", "@humanwhocodes/momoa"],
  },
  {
    who: "the SQLite writer's thread",
    fits: /^storage\/engines\/sqlite-writer-thread\.ts$/,
    ours: [
      ...[/^storage\//, /^transactions\.ts$/, /^sealing\/sealer\.ts$/],
      /^lib\/collect-after-start\.ts$/,
    ],
    packages: [],
  },
  {
    who: "hashing passwords",
    fits: /^passwords\//,
    ours: [LIB, /^passwords\//],
    packages: ["hash-wasm"],
  },
  {
    who: "storage",
    fits: /^storage\//,
    ours: [LIB, /^storage\//, /^sealing\/(sealer|sealing-keys)\.ts$/],
    packages: ["kysely", "pg"],
  },
  {
    who: "the published client",
    fits: /^client\/(keydesk-client|operations|failure|retry)\.ts$/,
    ours: [/^client\/(operations|failure|retry)\.ts$/],
    packages: [],
  },
  {
    who: "the client",
    fits: /^client\//,
    ours: [OWN_CONTRACTS, /^lib\/failure/],
    packages: ["zod"],
  },
  {
    who: "the command line",
    fits: /^cli\//,
    ours: [/^(?!http\/|key-requests\/.*\.(service|store|routes)\.ts)/],
    packages: ["commander"],
  },
  {
    who: "services and what else a feature holds",
    fits: /^[a-z-]+\/[a-z-]+(\.service)?\.ts$/,
    ours: [
      LIB,
      OWN_CONTRACTS,
      STORAGE,
      STORE,
      PURE,
      IN_TRANSACTION,
      /\.transactions\.ts$/,
      /^context\.ts$/,
      /^(abuse|access|catalogue|key-requests|keys|oauth|seed|verification)\/[a-z-]+\.ts$/,
    ],
    packages: ["zod"],
  },
];

Deno.test("boundaries: every module imports only what its row of the table allows", () => {
  const wrong = modules.filter(({ path }) => path.includes("/")).flatMap((module) => {
    const rule = RULES.find((one) => one.fits.test(module.path));
    if (!rule) return [`${module.path}: no row of the table fits`];
    return module.imports.filter((name) => !allowed(rule, name))
      .map((name) => `${module.path} (${rule.who}) imports ${name}`);
  });
  assert.deepEqual(wrong, []);
});

function allowed(rule: Rule, name: string): boolean {
  if (isOurs(name)) return rule.ours.some((pattern) => pattern.test(name));
  return name.startsWith("node:") || rule.packages.includes(packageOf(name));
}

function packageOf(name: string): string {
  return name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
}

function importersOf(what: (name: string) => boolean): string[] {
  return modules.filter((module) => module.imports.some(what)).map((module) => module.path);
}

Deno.test("boundaries: only stores and storage import kysely", () => {
  const others = importersOf((name) => packageOf(name) === "kysely")
    .filter((path) => !STORE.test(path) && !path.startsWith("storage/"));
  assert.deepEqual(others, []);
});

Deno.test("boundaries: only the engines import the drivers, only certificates an X.509 library", () => {
  const drivers = importersOf((name) => name === "pg" || name === "node:sqlite");
  assert.deepEqual(drivers.filter((path) => !path.startsWith("storage/engines/")), []);
  const forge = importersOf((name) => packageOf(name) === "node-forge");
  assert.deepEqual(forge.filter((path) => !path.startsWith("certificates/")), []);
});

Deno.test("boundaries: what the console bundles reads no file, socket or environment", () => {
  const reachable = new Set<string>();
  const visit = (path: string) => {
    if (reachable.has(path)) return;
    reachable.add(path);
    modules.find((module) => module.path === path)?.imports.filter(isOurs).forEach(visit);
  };
  modules.filter(({ path }) => isContract(path) || path.startsWith("client/"))
    .forEach(({ path }) => visit(path));
  const wrong = modules.filter(({ path }) => reachable.has(path)).filter((module) =>
    /\bDeno\./.test(module.text) || module.imports.some((name) => name.startsWith("node:"))
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

const consoleModules = readModules(CONSOLE);

/** What the console's build bundles. */
const BUNDLED = ["preact", "wouter-preact", "zod"];

Deno.test("boundaries: the console knows the server through its client and its contracts alone", () => {
  const ours = /^\.\.\/src\/(client\/|contract\/|lib\/failure|.*\.contract\.ts$)/;
  const wrong = consoleModules.flatMap(({ path, imports }) =>
    imports.filter((name) =>
      name.startsWith("../") ? !ours.test(name) : !isOurs(name.replace(/x$/, "")) &&
        !BUNDLED.includes(packageOf(name).replace(/\/.*/, "")) &&
        !BUNDLED.includes(packageOf(name))
    ).map((name) => `${path} imports ${name}`)
  );
  assert.deepEqual(wrong, []);
  assert.ok(consoleModules.length > 30);
});

Deno.test("boundaries: the console loads no schema: contracts are types to it", () => {
  const wrong = consoleModules.flatMap(({ path, text }) =>
    [...text.matchAll(/import (?!type )[^;]*?from "([^"]+)"/g)]
      .filter(([, name = ""]) => /\.contract\.ts$|\/src\/contract\/|^zod$/.test(name))
      .map(([line]) => `${path}: ${line}`)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("boundaries: no screen of the console imports another screen", () => {
  const wrong = consoleModules.flatMap(({ path, imports }) => {
    const own = /^screens\/([^/]+)\//.exec(path)?.[1];
    if (own === undefined) return [];
    return imports.filter((name) =>
      name.startsWith("screens/") && !name.startsWith(`screens/${own}/`)
    ).map((name) => `${path} imports ${name}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("boundaries: no module imports itself in a circle", () => {
  const graph = new Map(modules.map(({ path, imports }) => [path, imports.filter(isOurs)]));
  assert.equal(findCycle(graph)?.join(" → "), undefined);
});

Deno.test("boundaries: no feature depends on itself through others", () => {
  const graph = new Map<string, string[]>();
  for (const { path, imports } of modules) {
    const from = folderOf(path);
    if (!isFeature(from)) continue;
    const to = imports.filter(isOurs).map(folderOf).filter((folder) =>
      isFeature(folder) && folder !== from
    );
    graph.set(from, [...graph.get(from) ?? [], ...to]);
  }
  assert.equal(findCycle(graph)?.join(" → "), undefined);
});

Deno.test("boundaries: nothing but the roots imports the composition root", () => {
  const roots = ["server.ts", "desk.ts", "transactions.ts", "features.ts", "route-table.ts"];
  const others = importersOf((name) => roots.includes(name)).filter((path) =>
    !roots.includes(path) && !path.startsWith("cli/") &&
    path !== "storage/engines/sqlite-writer-thread.ts"
  );
  assert.deepEqual(others, []);
});

/** Written by npm run generate. */
const GENERATED = "client/operations.ts";

Deno.test("boundaries: no barrels: no index.ts, and no module that only passes on", () => {
  // What a package publishes is named in one place.
  const barrels = modules.filter(({ path }) =>
    path !== "client/keydesk-client.ts" && path !== GENERATED
  ).filter((
    { path, text },
  ) =>
    /(^|\/)index\.ts$/.test(path) ||
    /\bexport\s+\*|\bexport\s+(type\s+)?\{[^}]*\}\s+from\b/.test(text)
  );
  assert.deepEqual(barrels.map(({ path }) => path), []);
});

Deno.test("boundaries: no file of src or console has more than 400 lines", () => {
  const long = [...modules, ...consoleModules].filter(
    ({ path, lines }) => lines > 400 && path !== GENERATED,
  );
  assert.deepEqual(long.map(({ path, lines }) => `${path}: ${lines}`), []);
});

Deno.test("boundaries: the reading of imports finds what is there", () => {
  const { imports = [] } = modules.find(({ path }) => path === "http/mount.ts") ?? {};
  assert.ok(imports.includes("hono") && imports.includes("lib/failure.ts"));
  assert.ok(importersOf((name) => name === "kysely").length > 0);
  assert.ok(modules.length > 50);
  assert.deepEqual(findCycle(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c", "b"]);
});
