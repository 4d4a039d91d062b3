/**
 * Makes what a release consists of, ready to be signed and published (docs/releasing.md):
 * `npm run release`, in a fresh clone after `npm ci`. The same commit gives the same bytes.
 *
 *   --to FOLDER          where it is written; `dist-release` by default, which must not be there
 *   --image NAME         the image's name without a tag, which the manifests ask for; `keydesk`
 *   --build-image IMAGE  with --base-image: makes the image too, by buildah, from these two,
 *   --base-image IMAGE   as deploy/Containerfile tells
 */
import { createHash } from "node:crypto";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../", import.meta.url));

/** A release as far as its files depend on it. */
export interface Release {
  readonly version: string;
  /** The image's name, without a tag. */
  readonly image: string;
  /** When the commit was made, in seconds since 1970: the time of every file. */
  readonly committed: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      to: { type: "string", default: "dist-release" },
      image: { type: "string", default: "keydesk" },
      "build-image": { type: "string" },
      "base-image": { type: "string" },
    },
  });
  const to = resolve(values.to);
  const { "build-image": build, "base-image": base } = values;
  if ((build === undefined) !== (base === undefined)) {
    throw new Error("--build-image and --base-image go together");
  }
  const changed = await run("git", ["status", "--porcelain"]);
  if (changed !== "") throw new Error(`a release is made of a commit; not committed:\n${changed}`);
  await refuseOtherVersions(manifest.version);
  const release = {
    version: manifest.version,
    image: values.image,
    committed: Number(await run("git", ["log", "-1", "--format=%ct"])),
  };
  await mkdir(to);
  await run("npm", ["pack", "--pack-destination", to]);
  await copyFile(join(root, "dist/sbom.cdx.json"), join(to, `keydesk-${release.version}.cdx.json`));
  await copyFile(
    join(root, "dist/third-party-licences.txt"),
    join(to, "third-party-licences.txt"),
  );
  await writeManifests(release, to);
  if (build !== undefined && base !== undefined) await writeImage(release, to, build, base);
  await writeChecksums(to);
  console.log(await readFile(join(to, "SHA256SUMS"), "utf8"));
  const missing = missingAddresses(manifest);
  if (missing.length > 0) {
    console.error(
      `Before it is published package.json needs ${missing.join(" and ")}: docs/releasing.md`,
    );
  }
}

/** What of package.json says where the project lives and is not there yet. */
export function missingAddresses(
  { homepage, repository }: { homepage?: string; repository?: object },
): string[] {
  return [
    ...homepage ? [] : ["homepage"],
    ...repository && "url" in repository ? [] : ["repository.url"],
  ];
}

/** Throws where what names the version names another one. */
export async function refuseOtherVersions(version: string): Promise<void> {
  const places: [string, RegExp][] = [
    ["CHANGELOG.md", /^## \[(\d+\.\d+\.\d+)\]/m],
    ["deploy/helm/keydesk/Chart.yaml", /^version: (\S+)$/m],
    ["deploy/helm/keydesk/Chart.yaml", /^appVersion: (\S+)$/m],
  ];
  for (const [file, form] of places) {
    const [, named = "none"] = form.exec(await readFile(join(root, file), "utf8")) ?? [];
    if (named !== version) {
      throw new Error(`${file} names version ${named}, package.json ${version}`);
    }
  }
}

/**
 * Writes the overlays of Kubernetes and the Helm chart, each asking for this release's image:
 * `keydesk-X-kubernetes.tgz` and `helm/keydesk-X.tgz`, as Helm names it.
 */
export async function writeManifests(release: Release, to: string): Promise<void> {
  const { version, image } = release;
  const made = await mkdtemp(join(tmpdir(), "keydesk-release-"));
  try {
    await cp(join(root, "deploy/kubernetes"), join(made, "kubernetes"), { recursive: true });
    for (const overlay of ["sqlite", "postgresql"]) {
      const file = join(made, "kubernetes", overlay, "kustomization.yaml");
      const text = (await readFile(file, "utf8")).replace(/^# images:\n# .*\n/m, "");
      const images = `images:\n  - { name: keydesk, newName: ${image}, newTag: "${version}" }\n`;
      await writeFile(file, text + images);
    }
    await archive(made, "kubernetes", join(to, `keydesk-${version}-kubernetes.tgz`), release);

    await cp(join(root, "deploy/helm/keydesk"), join(made, "keydesk"), { recursive: true });
    const values = join(made, "keydesk/values.yaml");
    const text = await readFile(values, "utf8");
    await writeFile(values, text.replace(/^ {2}repository: .*$/m, `  repository: ${image}`));
    await mkdir(join(to, "helm"), { recursive: true });
    await archive(made, "keydesk", join(to, "helm", `keydesk-${version}.tgz`), release);
  } finally {
    await rm(made, { recursive: true });
  }
}

/** Writes `keydesk-X.oci.tar`, the image as an OCI archive. */
async function writeImage(
  { version, image, committed }: Release,
  to: string,
  build: string,
  base: string,
): Promise<void> {
  const name = `${image}:${version}`;
  await run("buildah", [
    "build",
    "--format=oci",
    "--no-cache",
    `--timestamp=${committed}`,
    `--build-arg=BUILD=${build}`,
    `--build-arg=BASE=${base}`,
    `--tag=${name}`,
    "--file=deploy/Containerfile",
    ".",
  ]);
  const file = join(to, `keydesk-${version}.oci.tar`);
  await run("buildah", ["push", name, `oci-archive:${file}:${name}`]);
}

/** Writes `SHA256SUMS` over everything in a folder, as `sha256sum --check` reads it. */
export async function writeChecksums(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const lines: string[] = [];
  for (const { name, parentPath } of files.filter((one) => one.isFile())) {
    const path = join(parentPath, name);
    lines.push(
      `${createHash("sha256").update(await readFile(path)).digest("hex")}  ${
        path.slice(folder.length + 1)
      }`,
    );
  }
  lines.sort((a, b) => a.slice(66) < b.slice(66) ? -1 : 1);
  await writeFile(join(folder, "SHA256SUMS"), lines.map((line) => `${line}\n`).join(""));
}

/** Packs a folder so that the same content gives the same bytes. GNU tar and gzip do it. */
async function archive(
  parent: string,
  folder: string,
  file: string,
  { committed }: Release,
): Promise<void> {
  await run("tar", [
    "--create",
    "--format=ustar",
    "--sort=name",
    `--mtime=@${committed}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
    "--use-compress-program=gzip -9 --no-name",
    `--file=${file}`,
    `--directory=${parent}`,
    folder,
  ]);
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd: root })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}\n${text(stdout)}${text(stderr)}`);
  return text(stdout).trim();
}

if (import.meta.main) await main();
