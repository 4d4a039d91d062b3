/**
 * What `npm run release` makes. The long form makes all of it but the image twice, in two clones;
 * else the manifests are made twice, and what they ask for is looked at.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { repository, run, temporaryFolder } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import {
  missingAddresses,
  refuseOtherVersions,
  writeChecksums,
  writeManifests,
} from "../../tools/release.ts";
import { mustRun } from "../support/packed.ts";

const { version } = manifest;
const release = { version, image: "registry.example.org/keydesk", committed: 1_700_000_000 };

Deno.test("release: the version is the same wherever it stands", async () => {
  await refuseOtherVersions(version);
  await assert.rejects(refuseOtherVersions("9.9.9"), /CHANGELOG\.md names version .*9\.9\.9/);
});

Deno.test("release: where the project lives is asked for until package.json says it", () => {
  assert.deepEqual(missingAddresses({ repository: {} }), ["homepage", "repository.url"]);
  const url = "https://example.org/keydesk";
  assert.deepEqual(missingAddresses({ homepage: url, repository: { url } }), []);
});

Deno.test("release: overlays and chart ask for the release's image, and two makings have the same bytes", async () => {
  await using folder = await temporaryFolder();
  const sums: string[] = [];
  for (const name of ["one", "two"]) {
    const to = join(folder.path, name);
    await Deno.mkdir(to);
    await writeManifests(release, to);
    await writeChecksums(to);
    const checked = await run(["sha256sum", "--check", "SHA256SUMS"], { cwd: to });
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    sums.push(await Deno.readTextFile(join(to, "SHA256SUMS")));
  }
  assert.equal(sums[0], sums[1]);
  const read = async (archive: string, file: string) => {
    const path = join(folder.path, "one", archive);
    return (await mustRun(["tar", "--extract", "--to-stdout", "--file", path, file])).stdout;
  };
  const overlays = `keydesk-${version}-kubernetes.tgz`;
  for (const overlay of ["sqlite", "postgresql"]) {
    const text = await read(overlays, `kubernetes/${overlay}/kustomization.yaml`);
    assert.equal(text.match(/^images:$/gm)?.length, 1);
    assert.ok(text.includes(`newName: ${release.image}, newTag: "${version}"`), text);
    assert.doesNotMatch(text, /^# images:/m);
  }
  const chart = `helm/keydesk-${version}.tgz`;
  assert.match(
    await read(chart, "keydesk/values.yaml"),
    /^ {2}repository: registry\.example\.org/m,
  );
  assert.ok((await read(chart, "keydesk/Chart.yaml")).includes(`\nappVersion: ${version}\n`));
});

if (effort > 1) {
  Deno.test("release: two clones of a commit make the same bytes", async () => {
    await using folder = await temporaryFolder();
    const sums: string[] = [];
    for (const name of ["one", "two"]) {
      const clone = join(folder.path, name);
      await mustRun(["git", "clone", "--quiet", repository, clone]);
      await mustRun(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], clone);
      await mustRun(["node", "node_modules/deno/install.cjs"], clone);
      await mustRun(["npm", "run", "release"], clone);
      sums.push(await Deno.readTextFile(join(clone, "dist-release/SHA256SUMS")));
    }
    assert.match(sums[0] ?? "", new RegExp(`  keydesk-${version}\\.tgz$`, "m"));
    assert.equal(sums[0], sums[1]);
  });
}
