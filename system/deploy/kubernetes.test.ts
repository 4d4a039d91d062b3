/**
 * What deploy/kubernetes and the Helm chart become, against the schemas and types of Kubernetes,
 * and against what Keydesk needs. kustomize and Helm run where their sources changed, and in the
 * long form; else what they last made of the same is looked at.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Ajv } from "ajv";
import { repository, run } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import {
  CHART,
  chart,
  isProved,
  load,
  type Manifest,
  manifestsOf,
  packagesFolder,
  render,
  rendered,
  type Rendering,
  RENDERINGS,
  writeProof,
} from "./rendered.ts";

const NAMES = Object.keys(RENDERINGS) as Rendering[];

const SECRET = join(repository, "deploy/kubernetes/secret.yaml");

async function everyManifest(): Promise<{ file: string; manifest: Manifest }[]> {
  const secret = await manifestsOf(await Deno.readTextFile(SECRET), SECRET);
  const found = secret.map((manifest) => ({ file: "secret", manifest }));
  for (const file of NAMES) {
    for (const manifest of await manifestsOf(await rendered(file), file)) {
      found.push({ file, manifest });
    }
  }
  return found;
}

/** The pods that are made: what makes them, and their specification. */
async function pods(): Promise<
  { kind: string; replicas: number; pod: Manifest; container: Manifest }[]
> {
  return (await everyManifest()).map(({ manifest }) => manifest).filter(({ spec }) =>
    spec?.template
  ).map(({ kind, spec }) => ({
    kind,
    replicas: spec.replicas,
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
      "StatefulSet",
      "Service",
      "Secret",
      "NetworkPolicy",
      "ConfigMap",
      "PodDisruptionBudget",
      "Job",
      "HTTPRoute",
      "ServiceMonitor",
    ]
  ) assert.ok(kinds.includes(kind), kind);
  const folder = join(packagesFolder, "..");
  const lines: string[] = [];
  for (const [n, { file, manifest }] of all.entries()) {
    const model = modelOf(manifest);
    const { [manifest.kind]: Model } = await load(`${model}.js`);
    assert.doesNotThrow(() => new Model(manifest).validate(), `${file}: ${model}`);
    lines.push(`import type { I${manifest.kind} as T${n} } from "${model}";`);
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

/** The module of a manifest's kind. */
function modelOf({ apiVersion, kind }: Manifest): string {
  const of: Record<string, string> = {
    "gateway.networking.k8s.io/v1": "@kubernetes-models/gateway-api",
    "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator",
  };
  return `${of[apiVersion] ?? "kubernetes-models"}/${apiVersion}/${kind}`;
}

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
  const nodes = (await pods()).filter(({ kind }) => kind === "StatefulSet");
  assert.deepEqual(nodes.map(({ replicas }) => replicas), [1, 2, 2]);
  for (const { replicas, pod, container } of nodes) {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    assert.equal(startupProbe.httpGet.path, "/livez");
    assert.equal(livenessProbe.httpGet.path, "/livez");
    assert.equal(readinessProbe.httpGet.path, "/readyz");
    const drainSeconds = Number(settingOf(container, "KEYDESK_DRAIN_MS") ?? 0) / 1000;
    // A stop takes ten seconds at the most.
    assert.ok(pod.terminationGracePeriodSeconds > drainSeconds + 10);
    const { periodSeconds, failureThreshold } = readinessProbe;
    if (replicas > 1) assert.ok(drainSeconds > 2 * periodSeconds * failureThreshold);
    else assert.equal(drainSeconds, 0, "a single process has nobody to answer in its place");
  }
});

Deno.test("kubernetes: each node knows of the others, keeps its folder, and finds its secrets where they are mounted", async () => {
  const [{ stringData }] = await manifestsOf(await Deno.readTextFile(SECRET), SECRET);
  for (const { manifest } of await everyManifest()) {
    if (manifest.kind !== "StatefulSet") continue;
    const [claim] = manifest.spec.volumeClaimTemplates;
    assert.equal(claim.metadata.name, "data");
    const [container] = manifest.spec.template.spec.containers;
    const { replicas } = manifest.spec;
    assert.equal(Number(settingOf(container, "KEYDESK_PROCESSES") ?? 1), replicas);
  }
  for (const { pod, container } of await pods()) {
    const { mountPath } = container.volumeMounts.find((one: Manifest) => one.name === "secrets");
    const { secret } = pod.volumes.find((one: Manifest) => one.name === "secrets");
    const files = secret.items.map(({ key, path }: { key: string; path: string }) => {
      assert.ok(key in stringData, key);
      return `${mountPath}/${path}`;
    });
    for (const { name, value } of container.env) {
      if (name.endsWith("_FILE")) assert.ok(files.includes(value), `${name}: ${value}`);
      assert.doesNotMatch(name, /^KEYDESK_(SEALING_KEY|ADMIN_TOKEN|DATABASE_PASSWORD)$/);
    }
  }
});

Deno.test("kubernetes: services, monitors, budgets and policies choose the nodes, and no other pod", async () => {
  const isChosen = (selector: Manifest, labels: Manifest) =>
    Object.entries(selector).every(([name, value]) => labels[name] === value);
  for (const name of NAMES) {
    const all = await manifestsOf(await rendered(name), name);
    const makers = all.filter(({ spec }) => spec?.template);
    for (const { kind, metadata, spec } of all) {
      const selector = kind === "Service"
        ? spec.selector
        : kind === "NetworkPolicy"
        ? spec.podSelector.matchLabels
        : kind === "PodDisruptionBudget" || kind === "StatefulSet"
        ? spec.selector.matchLabels
        : undefined;
      if (selector === undefined) continue;
      const own = /^keydesk-(upgrade|config)$/.test(metadata.name) ? metadata.name : "keydesk";
      const chosen = makers.filter((one) => isChosen(selector, one.spec.template.metadata.labels));
      const names = chosen.map((one) => one.metadata.name);
      assert.deepEqual(names, [own], `${name}: ${kind} ${metadata.name}`);
    }
    const monitor = all.find(({ kind }) => kind === "ServiceMonitor");
    const monitored = all.filter(({ kind, metadata }) =>
      kind === "Service" && monitor && isChosen(monitor.spec.selector.matchLabels, metadata.labels)
    );
    const ports = monitored.flatMap(({ spec }) => spec.ports.map((port: Manifest) => port.name));
    assert.deepEqual(ports, monitor ? [monitor.spec.endpoints[0].port] : []);
  }
});

Deno.test("helm: the schema of its values refuses what can't work, in the place where it stands", async () => {
  const [values] = await manifestsOf(await Deno.readTextFile(join(CHART, "values.yaml")), "values");
  const schema = JSON.parse(await Deno.readTextFile(join(CHART, "values.schema.json")));
  const { $schema: _, ...rules } = schema;
  const validate = new Ajv({ allErrors: true, strict: false }).compile<Manifest>(rules);
  assert.ok(validate(values), JSON.stringify(validate.errors));
  const refusedAt = (changed: Manifest) => {
    assert.ok(!validate({ ...values, ...changed }), JSON.stringify(changed));
    return validate.errors?.map(({ instancePath }) => instancePath);
  };
  const { database } = values;
  const rows: [Manifest, string][] = [
    [{ replicas: 2 }, "/replicas"],
    [{ replicas: 0, engine: "postgresql" }, "/replicas"],
    [{ engine: "mysql" }, "/engine"],
    [{ publicUrl: "http://desk.example.org" }, "/publicUrl"],
    [{ settings: { KEYDESK_SEALING_KEY: "x" } }, "/settings"],
    [{ settings: { PATH: "/bin" } }, "/settings"],
    [{ database: { ...database, url: "postgres://keydesk:word@db/keydesk" } }, "/database/url"],
    [
      { database: { ...database, migrationJob: { enabled: true } } },
      "/database/migrationJob/enabled",
    ],
    [{ storage: { size: "ten" } }, "/storage/size"],
    [{ config: { files: { "platform.txt": "version: 1" } } }, "/config/files"],
    [{ config: { token: "a token" } }, "/config/token"],
    [{ replica: 2 }, ""],
  ];
  for (const [changed, place] of rows) {
    const places = refusedAt(changed);
    assert.ok(places?.includes(place), `${JSON.stringify(changed)}: ${places}`);
  }
  assert.ok(validate({ ...values, engine: "postgresql", replicas: 3 }));
});

if (effort > 1 || !await isProved()) {
  const proved = new Set<Rendering>();
  for (const name of NAMES) {
    Deno.test(`kubernetes: kustomize and Helm make the same of ${name}, which stands in rendered/`, async () => {
      const before = await rendered(name).catch(() => "");
      const now = await render(name);
      const manifests = await manifestsOf(now, name);
      const helm = await manifestsOf(await chart(RENDERINGS[name].values), "helm");
      assert.deepEqual(byName(helm), byName(manifests));
      assert.ok(now === before, `rendered/${name}.yaml is new: read what changed, and commit it`);
      proved.add(name);
    });
  }

  Deno.test("helm: two nodes on SQLite are refused before anything is made", async () => {
    await assert.rejects(chart("replicas=2"), /'\/replicas': value must be 1/);
  });

  Deno.test("kubernetes: what was proved is written down", async () => {
    assert.deepEqual([...proved], NAMES);
    await writeProof();
    console.log(
      "kubernetes: rendered/proved.txt is new: commit it, else each run proves this anew",
    );
  });
} else {
  console.log("kubernetes: kustomize and Helm proved these files; the long form repeats it");
}

/** What both write in their own way: who made it, the tag, and the order of variables. */
const OF_ITS_OWN =
  /^(app\.kubernetes\.io\/(instance|version|managed-by)|helm\.sh\/.*|imagePullPolicy)$/;

function byName(manifests: readonly Manifest[]): Record<string, Manifest> {
  const named = manifests.map((one) => [`${one.kind} ${one.metadata.name}`, plain(one)]);
  return Object.fromEntries(named.toSorted(([a], [b]) => a < b ? -1 : 1));
}

function plain(value: Manifest): Manifest {
  if (Array.isArray(value)) {
    const items = value.map(plain);
    return items.every((item) => typeof item?.name === "string" && "value" in item)
      ? items.toSorted((a, b) => a.name < b.name ? -1 : 1)
      : items;
  }
  if (typeof value === "string") return value.replace(/^keydesk:\d+\.\d+\.\d+$/, "keydesk");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !OF_ITS_OWN.test(name))
    .map(([name, inner]) => [name, plain(inner)] as const)
    .filter(([name, inner]) => name !== "annotations" || Object.keys(inner).length > 0);
  return Object.fromEntries(kept);
}
