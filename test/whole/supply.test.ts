/** What is shipped of others: the bill of materials, its form, and the licences. */
import { Ajv } from "ajv";
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { licenceText } from "../../tools/licence-text.ts";
import { bundled, licenceList, licenceOf, makeSbom } from "../../tools/sbom.ts";
import { temporaryFolder } from "../support/command.ts";
import { type Module, PACKAGES, readModules } from "../support/modules.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(join(repository, path), "utf8"));
const bom = makeSbom();

/**
 * Licences under which others' work may be shipped. A further one is a decision, not a typing
 * error.
 */
const ALLOWED = [
  "MIT",
  "MIT-0",
  "ISC",
  "BSD-3-Clause",
  "Apache-2.0",
  "Unlicense",
  "Apache-2.0 OR MIT",
  "(BSD-3-Clause OR GPL-2.0)",
  "BSD-2-Clause",
  "0BSD",
  "(MIT AND BSD-3-Clause)",
  "(MIT OR CC0-1.0)",
  // Of argparse, which markdown-it's command has and no server loads: decision 43.
  "PSF-2.0",
];

Deno.test("supply: the bill of materials is what CycloneDX 1.5 says", () => {
  const schema = (name: string) =>
    read(`node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx", "jsf-0.82"]) {
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  const isValid = ajv.compile(schema("bom-1.5"));
  assert.ok(isValid(bom), JSON.stringify(isValid.errors));
  assert.ok(!isValid({ ...bom, components: [{ name: "x" }] }));
});

Deno.test("supply: the bill names every dependency that is shipped, in its version, and no tool", () => {
  const { dependencies, devDependencies } = read("package.json");
  const { packages } = read("package-lock.json");
  const versions = new Map(bom.components.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries(dependencies)) {
    assert.equal(versions.get(name), version, name);
  }
  for (const name of bundled) assert.equal(versions.get(name), devDependencies[name], name);
  // What the lock file installs without the tools, and what that and the bundled ones need.
  const shipped = new Set<string>();
  const add = (path: string) => {
    if (shipped.has(path)) return;
    shipped.add(path);
    const { dependencies: needed = {}, optionalDependencies: wanted = {} } = packages[path];
    for (const name of Object.keys({ ...needed, ...wanted })) add(placeOf(name, path));
  };
  const placeOf = (name: string, from: string): string => {
    const place = join(from, "node_modules", name);
    return packages[place] || from === ""
      ? place
      : placeOf(name, from.slice(0, from.lastIndexOf("node_modules/")).replace(/\/$/, ""));
  };
  for (const name of [...Object.keys(dependencies), ...bundled]) add(`node_modules/${name}`);
  for (const [path, one] of Object.entries<{ dev?: true; devOptional?: true }>(packages)) {
    if (path !== "" && !one.dev && !one.devOptional) add(path);
  }
  const named = ([path, version]: readonly [string, string]) =>
    `${path.replace(/^.*node_modules\//, "")}@${version}`;
  assert.deepEqual(
    bom.components.map((one) => one["bom-ref"]).sort(),
    [...new Set([...shipped].map((path) => named([path, packages[path].version])))].sort(),
  );
});

Deno.test("supply: npm installs Deno alone; what else the program imports is bundled, or asked for by name", () => {
  const { dependencies, peerDependencies } = read("package.json");
  assert.deepEqual(Object.keys(dependencies), ["deno"]);
  const imported = new Set(
    [...readModules(), ...ownLibraries()].flatMap(({ imports }) => imports)
      .filter((name) => !/^(node:|src\/|\.)/.test(name) && !/\.(ts|json)$|\?text$/.test(name))
      .map((name) => name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/")),
  );
  assert.ok(imported.size > 15, [...imported].join(" "));
  const ofConsole = ["lean-qr", "preact", "wouter-preact"];
  assert.deepEqual(
    [...imported].sort(),
    [...bundled.filter((name) => !ofConsole.includes(name)), ...Object.keys(peerDependencies)]
      .sort(),
  );
});

/** The libraries of packages/, without their tests. */
function ownLibraries(): Module[] {
  return readModules(PACKAGES).filter(({ path }) => !path.includes("/test/"));
}

Deno.test("supply: what the console imports is bundled or shipped", () => {
  const { dependencies } = read("package.json");
  const files = readdirSync(join(repository, "console"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file));
  assert.ok(files.length > 50);
  for (const file of files) {
    const text = readFileSync(join(repository, "console", file), "utf8");
    for (
      const [, type, from = ""] of text.matchAll(
        /^(?:import|export) (type )?[^;]*?from "([^".][^"]*)"/gm,
      )
    ) {
      const name = from.split("/")[0] ?? "";
      assert.ok(type || name in dependencies || bundled.includes(name), `${file}: ${from}`);
    }
  }
});

Deno.test("supply: only licences that were chosen occur, and each is named", () => {
  for (const one of bom.components) {
    assert.ok(ALLOWED.includes(licenceOf(one)), `${one["bom-ref"]}: ${licenceOf(one)}`);
  }
  const list = licenceList(bom);
  for (const one of bom.components) {
    assert.ok(list.includes(`\n${one.name} ${one.version}: ${licenceOf(one)}\n`), one.name);
  }
  // Of what is copied into the package, the whole text.
  for (const holder of ["2015-present Jason Miller", "2022 Sami Koskimäki", "Standard Webhooks"]) {
    assert.ok(list.includes(`Copyright (c) ${holder}`), holder);
  }
});

Deno.test("supply: a licence is told by its file, else by the README, else by its own words and the author", async () => {
  await using folder = await temporaryFolder();
  const put = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  put("package.json", '{"author":"Ada Example <ada@example.org>"}');
  assert.throws(() => licenceText(folder.path, "EUPL-1.2"), /no text of the licence EUPL-1\.2/);
  assert.match(
    licenceText(folder.path, "Apache-2.0 OR MIT"),
    /^Copyright \(c\) Ada Example\n\nPermission/,
  );
  put("README.md", "# It\n\n## License\n\nPermission is hereby granted to its friends.\n");
  assert.equal(licenceText(folder.path, "MIT"), "Permission is hereby granted to its friends.");
  put("LICENSE.txt", "Redistribution and use are granted.\n");
  put("NOTICE", "The notice.\n");
  assert.equal(
    licenceText(folder.path, "BSD-2-Clause"),
    "Redistribution and use are granted.\n\nThe notice.",
  );
  // A file that only names it.
  put("LICENSE.txt", "See the web.\n");
  put("README.md", "");
  assert.match(licenceText(folder.path, "MIT"), /^See the web\.\n\nThe notice\.\n\nCopyright/);
});

Deno.test("supply: both read the same each time, and name no folder, time or host", () => {
  // As in an npm that packs.
  const around = { npm_config_omit: "dev", NODE_ENV: "production" };
  for (const [name, value] of Object.entries(around)) Deno.env.set(name, value);
  try {
    assert.deepEqual(makeSbom(), bom);
  } finally {
    for (const name of Object.keys(around)) Deno.env.delete(name);
  }
  const text = JSON.stringify(bom);
  assert.ok(!/timestamp|serialNumber|https?:\/\/(?!cyclonedx\.org)/.test(text));
  assert.equal(bom.metadata.component.name, "keydesk");
});

/** What README promises: the newest of each line that is kept. */
const NODES = ["20.20.0", "22.22.0", "24.14.0"];

Deno.test("supply: npm ci installs what is shipped and what builds it, and no tool of tests", () => {
  const names = Object.keys(read("package.json").devDependencies);
  const isInside = (name: string) => bundled.includes(name) || name.startsWith("@peculiar/asn1-");
  assert.deepEqual(names.filter((name) => !isInside(name)), ["rolldown", "vite"]);
  const { packages: { "": _, ...tools } } = read("tools/test-packages/package-lock.json");
  const unpinned = Object.entries<{ integrity?: string }>(tools)
    .flatMap(([path, { integrity }]) => integrity?.startsWith("sha512-") ? [] : [path]);
  assert.deepEqual(unpinned, []);
});

Deno.test("supply: every package takes Node 20, 22 and 24, so that npm ci --engine-strict passes", () => {
  const locks = ["package-lock.json", "tools/test-packages/package-lock.json"].map(read);
  const asked = locks.flatMap(({ packages }) =>
    Object.entries<{ engines?: { node?: string } }>(packages)
  )
    .flatMap(([path, { engines }]) => engines?.node ? [[path, engines.node] as const] : []);
  assert.ok(asked.length > 100, String(asked.length));
  const refused = asked.flatMap(([path, range]) =>
    NODES.filter((node) => !takes(range, node)).map((node) => `${path}: ${node}, but ${range}`)
  );
  assert.deepEqual(refused, []);
});

Deno.test("supply: what a package says of Node is read as npm reads it", () => {
  const rows: [range: string, node: string, isTaken: boolean][] = [
    ["^22 || ^24 || >=26", "20.20.0", false],
    ["^22 || ^24 || >=26", "24.14.0", true],
    ["^20.19.0 || >=22.12.0", "20.18.9", false],
    ["^20.19.0 || >=22.12.0", "20.20.0", true],
    [">= 0.6", "20.20.0", true],
    [">=8 <21", "22.22.0", false],
    ["20.x || 22", "22.22.0", true],
    ["~20.19", "20.20.0", false],
    ["*", "20.20.0", true],
    ["14 - 20", "20.20.0", true],
  ];
  for (const [range, node, isTaken] of rows) assert.equal(takes(range, node), isTaken, range);
});

Deno.test("supply: redis is installed by whoever asks for it by name", () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = read("package.json");
  assert.ok(!("redis" in dependencies) && "redis" in peerDependencies);
  assert.deepEqual(peerDependenciesMeta, { redis: { optional: true } });
  assert.ok(!bom.components.some(({ name }) => name === "redis"));
});

/** Whether a range of versions has one in it. Throws for what no package says by now. */
function takes(range: string, version: string): boolean {
  return range.split("||").some((part) => {
    const plain = part.trim().replaceAll(/([<>=^~]+)\s+/g, "$1")
      .replace(/^(\S+) - (\S+)$/, ">=$1 <=$2");
    return plain.split(/\s+/).every((one) => meets(one, version));
  });
}

function meets(one: string, version: string): boolean {
  if (one === "" || one === "*" || one === "x") return true;
  const [, sign = "", text = ""] = /^([<>=^~]*)v?(\d+(?:\.(?:\d+|x|\*))*)$/.exec(one) ?? [];
  if (text === "") throw new Error(`what does ${one} say?`);
  const wanted = text.split(".").filter((part) => /\d/.test(part)).map(Number);
  const given = version.split(".").map(Number);
  // Of as many parts as were said: what is less, the same or more.
  const parts = wanted.map((part, i) => (given[i] ?? 0) - part);
  const order = parts.find((difference) => difference !== 0) ?? 0;
  if (sign === ">=") return order >= 0;
  if (sign === ">") return order > 0;
  if (sign === "<=") return order <= 0;
  if (sign === "<") return order < 0;
  const fixed = sign === "^" ? 1 : sign === "~" ? Math.min(2, wanted.length) : wanted.length;
  return order >= 0 && parts.slice(0, fixed).every((difference) => difference === 0);
}
