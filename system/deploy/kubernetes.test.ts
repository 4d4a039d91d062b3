/**
 * The manifests of deploy/kubernetes against the schemas and types of Kubernetes, and against what
 * Keydesk needs.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository, run } from "../../test/support/command.ts";
import { npmPackages } from "../support/downloads.ts";

const MANIFESTS = join(repository, "deploy/kubernetes");

// deno-lint-ignore no-explicit-any -- of whatever kind
type Manifest = any;

const packages = await npmPackages("kubernetes", join(repository, "system/deploy/npm"));
const load = (path: string) => import(pathToFileURL(join(packages, path)).href);

async function manifestsOf(file: string): Promise<Manifest[]> {
  const { parseAllDocuments } = await load("yaml/dist/index.js");
  const text = await Deno.readTextFile(join(MANIFESTS, file));
  return parseAllDocuments(text).map((one: Manifest) => {
    assert.deepEqual(one.errors, [], file);
    return one.toJS();
  });
}

async function everyManifest(): Promise<{ file: string; manifest: Manifest }[]> {
  const found = [];
  for await (const { name: file } of Deno.readDir(MANIFESTS)) {
    for (const manifest of await manifestsOf(file)) found.push({ file, manifest });
  }
  return found;
}

/** The pods that are made: what makes them, and their specification. */
async function pods(): Promise<{ kind: string; pod: Manifest; container: Manifest }[]> {
  return (await everyManifest()).map(({ manifest }) => manifest).filter(({ spec }) =>
    spec?.template
  ).map(({ kind, spec }) => ({
    kind,
    pod: spec.template.spec,
    container: spec.template.spec.containers[0],
  }));
}

const settingOf = (container: Manifest, name: string): string | undefined =>
  container.env.find((one: Manifest) => one.name === name)?.value;

Deno.test("kubernetes: every manifest fits its schema, and has no member that Kubernetes does not know", async () => {
  const all = await everyManifest();
  const kinds = all.map(({ manifest }) => manifest.kind);
  for (
    const kind of [
      "Deployment",
      "StatefulSet",
      "Service",
      "Secret",
      "NetworkPolicy",
      "PodDisruptionBudget",
    ]
  ) assert.ok(kinds.includes(kind), kind);
  const folder = join(packages, "..");
  const lines: string[] = [];
  for (const [n, { file, manifest }] of all.entries()) {
    const model = `${manifest.apiVersion}/${manifest.kind}`;
    const { [manifest.kind]: Model } = await load(`kubernetes-models/${model}.js`);
    assert.doesNotThrow(() => new Model(manifest).validate(), `${file}: ${model}`);
    lines.push(`import type { I${manifest.kind} as T${n} } from "kubernetes-models/${model}";`);
    lines.push(`export const m${n}: T${n} = ${JSON.stringify(manifest)};`);
  }
  // Schemas let members pass that they do not know; types do not.
  const typed = join(folder, "manifests.ts");
  await Deno.writeTextFile(typed, lines.join("\n"));
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
  const { code, stdout } = await run(["node", compiler, ...options, typed], { cwd: folder });
  assert.equal(code, 0, stdout);
});

Deno.test("kubernetes: pods meet the restricted standard, on a read-only root", async () => {
  for (const { pod, container } of await pods()) {
    assert.equal(pod.automountServiceAccountToken, false);
    const { runAsNonRoot, runAsUser, fsGroup, seccompProfile } = pod.securityContext;
    assert.deepEqual([runAsNonRoot, runAsUser, fsGroup], [true, 10001, 10001]);
    assert.equal(seccompProfile.type, "RuntimeDefault");
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const image = await Deno.readTextFile(join(repository, "deploy/Containerfile"));
    assert.ok(image.includes(`\nUSER ${runAsUser}:${pod.securityContext.runAsGroup}\n`));
  }
});

Deno.test("kubernetes: probes ask the right paths, and a pod has time to drain and to stop", async () => {
  for (const { kind, pod, container } of await pods()) {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    assert.equal(startupProbe.httpGet.path, "/livez");
    assert.equal(livenessProbe.httpGet.path, "/livez");
    assert.equal(readinessProbe.httpGet.path, "/readyz");
    const drainSeconds = Number(settingOf(container, "KEYDESK_DRAIN_MS") ?? 0) / 1000;
    // A stop takes ten seconds at the most.
    assert.ok(pod.terminationGracePeriodSeconds > drainSeconds + 10, kind);
    const { periodSeconds, failureThreshold } = readinessProbe;
    if (kind === "Deployment") assert.ok(drainSeconds > 2 * periodSeconds * failureThreshold);
    else assert.equal(drainSeconds, 0, "a single process has nobody to answer in its place");
  }
});

Deno.test("kubernetes: each node knows of the others, and finds its secrets where they are mounted", async () => {
  for (const manifest of await manifestsOf("postgresql.yaml")) {
    if (manifest.kind !== "Deployment") continue;
    const [container] = manifest.spec.template.spec.containers;
    assert.equal(settingOf(container, "KEYDESK_PROCESSES"), String(manifest.spec.replicas));
  }
  const [{ stringData }] = await manifestsOf("secret.yaml");
  for (const { pod, container } of await pods()) {
    const { mountPath } = container.volumeMounts.find((one: Manifest) => one.name === "secrets");
    const { secret } = pod.volumes.find((one: Manifest) => one.name === "secrets");
    const files = (secret.items ?? Object.keys(stringData).map((key) => ({ key, path: key })))
      .map(({ key, path }: { key: string; path: string }) => {
        assert.ok(key in stringData, key);
        return `${mountPath}/${path}`;
      });
    for (const { name, value } of container.env) {
      if (name.endsWith("_FILE")) assert.ok(files.includes(value), `${name}: ${value}`);
      assert.doesNotMatch(name, /^KEYDESK_(SEALING_KEY|ADMIN_TOKEN|DATABASE_PASSWORD)$/);
    }
  }
});
