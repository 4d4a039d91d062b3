/**
 * What the manifests of deploy/ become. The overlays of deploy/kubernetes, rendered by kustomize,
 * stand in `rendered/`, so that a change is read there and tests look at it without that program.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sha256 } from "../../src/kernel/sha256.ts";
import { repository, run } from "../../test/support/command.ts";
import { npmPackages } from "../support/downloads.ts";
import { goTools } from "../support/go.ts";

const FOLDER = join(repository, "system/deploy");
export const CHART = join(repository, "deploy/helm/keydesk");
const PROVED = join(FOLDER, "rendered/proved.txt");

// deno-lint-ignore no-explicit-any -- of whatever kind
export type Manifest = any;

/**
 * Each rendering: the overlay that kustomize takes, and the values by which Helm gives the same.
 */
export const RENDERINGS = {
  "sqlite": { overlay: join(repository, "deploy/kubernetes/sqlite"), values: "engine=sqlite" },
  "postgresql": {
    overlay: join(repository, "deploy/kubernetes/postgresql"),
    values: "engine=postgresql,replicas=2",
  },
  "everything": {
    overlay: join(FOLDER, "everything"),
    values: "engine=postgresql,replicas=2,database.migrationJob.enabled=true," +
      "httpRoute.enabled=true,serviceMonitor.enabled=true,otlp.enabled=true," +
      "config.files.keydesk\\.yaml=version: 1",
  },
} as const;

export type Rendering = keyof typeof RENDERINGS;

const packages = await npmPackages("kubernetes", join(FOLDER, "npm"));

/** A module of the npm packages that tests of manifests need. */
export const load = (path: string): Promise<Manifest> =>
  import(pathToFileURL(join(packages, path)).href);

/** The folder of those packages. */
export const packagesFolder = packages;

/** The manifests of a text in YAML, which has to be without fault. */
export async function manifestsOf(text: string, file: string): Promise<Manifest[]> {
  const { parseAllDocuments } = await load("yaml/dist/index.js");
  return parseAllDocuments(text).flatMap((one: Manifest) => {
    if (one.errors.length > 0) throw new Error(`${file}: ${one.errors}`);
    const manifest = one.toJS();
    return manifest === null ? [] : [manifest];
  });
}

const renderedFile = (name: Rendering): string => join(FOLDER, "rendered", `${name}.yaml`);

/** What was rendered when that was last proved. */
export async function rendered(name: Rendering): Promise<string> {
  return await Deno.readTextFile(renderedFile(name));
}

/** The SHA-256 over overlays, chart, versions of the programs and what was rendered. */
export async function proof(): Promise<string> {
  const texts: string[] = [];
  const folders = [
    join(repository, "deploy/kubernetes"),
    join(repository, "deploy/helm"),
    join(FOLDER, "everything"),
    join(FOLDER, "go"),
    join(FOLDER, "rendered"),
  ];
  for (const folder of folders) {
    for (const path of await filesBelow(folder)) {
      if (path !== PROVED) texts.push(await Deno.readTextFile(path));
    }
  }
  return sha256(texts.join("\0"));
}

/** Whether the present files are those that were last rendered. */
export async function isProved(): Promise<boolean> {
  return (await Deno.readTextFile(PROVED).catch(() => "")).trim() === await proof();
}

export async function writeProof(): Promise<void> {
  await Deno.writeTextFile(PROVED, `${await proof()}\n`);
}

/** Writes down what kustomize makes of an overlay now, and gives it. */
export async function render(name: Rendering): Promise<string> {
  const text = await output("kustomize", ["build", RENDERINGS[name].overlay]);
  await Deno.writeTextFile(renderedFile(name), text);
  return text;
}

/** What Helm makes of the chart; throws with what it says where it refuses. */
export async function chart(values: string): Promise<string> {
  const words = ["template", "keydesk", CHART, "--kube-version", "1.32.0", "--set", values];
  return await output("helm", words);
}

async function output(program: "helm" | "kustomize", words: readonly string[]): Promise<string> {
  const folder = await goTools("deploy-tools", join(FOLDER, "go"), {
    kustomize: "sigs.k8s.io/kustomize/kustomize/v5",
    helm: "helm.sh/helm/v3/cmd/helm",
  });
  const { code, stdout, stderr } = await run([join(folder, program), ...words]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    found.push(...isDirectory ? await filesBelow(path) : [path]);
  }
  return found.toSorted();
}
