/**
 * What the package ships of others: a bill of materials (CycloneDX 1.5) and a list of licences.
 * `npm run sbom` writes both into `dist/`, and so does every build. Both follow from package.json,
 * the lock file and what is installed, and read the same wherever and whenever they are made.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { licenceText } from "./licence-text.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * What the package is bundled of (build.ts, console/build.js): each is a development dependency,
 * which npm never installs with it. Of what these need only some is bundled too; the bill and the
 * licences name it all.
 */
export const bundled = [
  "@multiformats/murmur3",
  "@noble/curves",
  "@noble/hashes",
  "@noble/post-quantum",
  "@opentelemetry/api",
  "@simplewebauthn/server",
  "age-encryption",
  "bcryptjs",
  "commander",
  "hash-wasm",
  "intl-messageformat",
  "jose",
  "kysely",
  "lean-qr",
  "markdown-it",
  "node-forge",
  "nodemailer",
  "openid-client",
  "otpauth",
  "pg",
  "preact",
  "prom-client",
  "rou3",
  "standardwebhooks",
  "wouter-preact",
  "yaml",
  "zod",
];

/** A component of the bill, as far as this looks at it. */
export interface Component {
  "bom-ref": string;
  name: string;
  version: string;
  scope?: string;
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
  externalReferences?: unknown;
  properties?: unknown;
}

/** A CycloneDX document, as far as this looks at it. */
export interface Bom {
  specVersion: string;
  serialNumber?: string;
  metadata: { timestamp?: string; tools?: unknown; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * The bill of everything that is shipped: what npm installs with the package, and what is bundled
 * into it.
 */
export function makeSbom(): Bom {
  const { name, dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  // Said, since an npm around this one, such as `npm pack`, hands on what it leaves out itself.
  const everything = ["dev", "optional", "peer"].map((kind) => `--include=${kind}`);
  const { success, stdout } = new Deno.Command("npm", {
    args: ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", ...everything],
    cwd: root,
    stderr: "inherit",
  }).outputSync();
  if (!success) throw new Error("npm made no bill of materials");
  // as: npm writes that.
  const bom = JSON.parse(new TextDecoder().decode(stdout)) as Bom;
  const dependsOn = new Map(bom.dependencies.map((one) => [one.ref, one.dependsOn]));
  const shipped = new Set<string>();
  const add = (ref: string) => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    for (const next of dependsOn.get(ref) ?? []) add(next);
  };
  const names = new Set([...Object.keys(dependencies), ...bundled]);
  const own = bom.metadata.component["bom-ref"];
  const direct = (dependsOn.get(own) ?? []).filter((ref) =>
    names.has(ref.slice(0, ref.lastIndexOf("@")))
  );
  for (const ref of direct) add(ref);

  // What differs from one run, folder or npm to the next says nothing of the package.
  const { serialNumber: _serial, metadata, ...rest } = bom;
  const { timestamp: _time, tools: _tools, ...described } = metadata;
  return {
    ...rest,
    metadata: { ...described, component: { ...plain(described.component), name } },
    components: bom.components.filter((one) => shipped.has(one["bom-ref"])).map(plain)
      .sort(by((one) => one["bom-ref"])),
    dependencies: bom.dependencies.filter(({ ref }) => ref === own || shipped.has(ref))
      .map(({ ref, dependsOn: all }) => ({
        ref,
        dependsOn: all.filter((one) => shipped.has(one)).sort(),
      })).sort(by(({ ref }) => ref)),
  };
}

/** The licence of a component as an SPDX expression; empty where it names none. */
export function licenceOf({ licenses = [] }: Component): string {
  return licenses.map((one) =>
    "expression" in one ? one.expression : one.license.id ?? one.license.name ?? ""
  ).join(" AND ");
}

/**
 * Every component with its licence; whole texts of what is bundled, since npm brings the others'
 * along, by licence: similar texts are packed well beside each other. Throws where a bundled
 * package has none.
 */
export function licenceList(bom: Bom): string {
  const line = (one: Component) => `${one.name} ${one.version}: ${licenceOf(one)}`;
  const folders = foldersOf();
  const texts = shippedWith(bom, bundled).map((one) => ({
    one,
    text: licenceText(`${root}${folders.get(`${one.name}@${one.version}`)}`, licenceOf(one)),
  })).sort(by(({ one, text }) => `${licenceOf(one)} ${text}`));
  return [
    "What Keydesk is made of besides its own code, with the licences.",
    "",
    ...bom.components.map(line),
    ...texts.flatMap(({ one, text }) => ["", "-".repeat(80), line(one), "", text]),
    "",
  ].join("\n");
}

/** These components and what they depend on. */
function shippedWith(bom: Bom, names: readonly string[]): Component[] {
  const found = new Set<string>();
  const add = (ref: string) => {
    if (found.has(ref)) return;
    found.add(ref);
    for (const next of bom.dependencies.find((one) => one.ref === ref)?.dependsOn ?? []) add(next);
  };
  for (const { name, "bom-ref": ref } of bom.components) if (names.includes(name)) add(ref);
  return bom.components.filter((one) => found.has(one["bom-ref"]));
}

/**
 * Where npm puts each package, by its name and version: two versions of one stand in two places.
 */
function foldersOf(): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8"));
  // as: npm writes that.
  const all = Object.entries(packages as Record<string, { version: string }>);
  return new Map(
    all.map(([path, { version }]) => [`${path.replace(/^.*node_modules\//, "")}@${version}`, path]),
  );
}

function plain({ externalReferences: _, properties: __, ...component }: Component): Component {
  return component;
}

function by<T>(textOf: (one: T) => string) {
  return (a: T, b: T) => textOf(a) < textOf(b) ? -1 : 1;
}

/** Writes both into a folder, and gives their names. */
export function writeSbom(folder: string, bom = makeSbom()): string[] {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/sbom.cdx.json`, `${JSON.stringify(bom, null, 2)}\n`);
  writeFileSync(`${folder}/third-party-licences.txt`, licenceList(bom));
  return ["sbom.cdx.json", "third-party-licences.txt"];
}

if (import.meta.main) {
  for (const name of writeSbom(`${root}dist`)) console.log(`dist/${name}`);
}
