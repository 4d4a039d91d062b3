/** What stands in deploy/ names settings and files that there are. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { settingsTable } from "../../src/settings-table.ts";
import { repository } from "../support/command.ts";
import { openTestDesk } from "../support/desk.ts";

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(join(folder, name));
    else yield join(folder, name);
  }
}

Deno.test("deploy: every setting that a file names is one", async () => {
  const known = new Set(settingsTable().map(({ name }) => name));
  let found = 0;
  for await (const file of filesBelow(join(repository, "deploy"))) {
    for (const [name] of (await Deno.readTextFile(file)).matchAll(/KEYDESK_[A-Z_]*[A-Z]/g)) {
      assert.ok(known.has(name), `${file}: ${name}`);
      found++;
    }
  }
  assert.ok(found > 20);
});

Deno.test("deploy: every page and file of the repository that a file names is there", async () => {
  for await (const file of filesBelow(join(repository, "deploy"))) {
    const text = await Deno.readTextFile(file);
    for (const [path] of text.matchAll(/(?<![\w/])(docs|deploy|system|test)\/[\w./@-]+\w/g)) {
      await Deno.stat(join(repository, path)).catch(() => assert.fail(`${file}: ${path}`));
    }
  }
});

Deno.test("deploy: the compose file's secrets are those that its services name, and it waits for the database", async () => {
  const text = await Deno.readTextFile(join(repository, "deploy/compose.yaml"));
  const named = new Set(
    [...text.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, name = ""]) => name),
  );
  for (const name of named) {
    assert.ok(text.includes(`\n  ${name}: { file: secrets/${name} }\n`), name);
    assert.ok(text.includes(`>secrets/${name}\n`), `how ${name} is made`);
  }
  assert.equal(named.size, 3);
  assert.match(text, /postgres: \{ condition: service_healthy \}/);
  assert.doesNotMatch(text, /PASSWORD: /);
  const [, file = ""] = /dockerfile: (\S+)/.exec(text) ?? [];
  await Deno.stat(join(dirname(join(repository, "deploy")), file));
});

Deno.test("deploy: the compose file's secrets get into no image and no commit", async () => {
  const lines = async (name: string) =>
    (await Deno.readTextFile(join(repository, name))).split("\n");
  // Docker reads this name alone, podman it too where there is no .containerignore.
  const [context, commits] = [await lines(".dockerignore"), await lines(".gitignore")];
  await assert.rejects(Deno.stat(join(repository, ".containerignore")));
  for (const name of ["deploy/secrets", "data", ".git", "node_modules"]) {
    assert.ok(context.includes(name), name);
  }
  for (const name of ["deploy/secrets/", "data/"]) assert.ok(commits.includes(name), name);
});

Deno.test("deploy: who runs it in containers is asked for the address of people, and for TLS to a far database", async () => {
  for (const name of ["compose.yaml", "kubernetes/base/stateful-set.yaml"]) {
    const text = await Deno.readTextFile(join(repository, "deploy", name));
    assert.match(text, /KEYDESK_PUBLIC_URL(: |, value: ")https:/, name);
    assert.match(text, /# .*KEYDESK_TRUSTED_PROXIES/, name);
  }
  const postgresql = "kubernetes/postgresql/stateful-set.patch.yaml";
  for (const name of [postgresql, "helm/keydesk/values.yaml", "systemd/postgresql.conf"]) {
    const text = await Deno.readTextFile(join(repository, "deploy", name));
    assert.match(text, /postgres:\/\/[^\s?]*\?sslmode=verify-full/, name);
  }
});

Deno.test("deploy: no secret is an argument, in no file and in no line of the page", async () => {
  const files = [join(repository, "docs/deploying.md")];
  for await (const file of filesBelow(join(repository, "deploy"))) files.push(file);
  for (const file of files) {
    const text = await Deno.readTextFile(file);
    // Everybody on a machine sees what `env` and the like are called with.
    assert.doesNotMatch(
      text,
      /\benv\s+(\S+=\S*\s+)*KEYDESK_(SEALING_KEY|ADMIN_TOKEN|DATABASE_PASSWORD)=/,
    );
    assert.doesNotMatch(text, /(--env|-e) KEYDESK_(SEALING_KEY|ADMIN_TOKEN|DATABASE_PASSWORD)=/);
  }
});

/** Every figure that a server of either engine tells, histograms by the names of their samples. */
async function figures(): Promise<Set<string>> {
  // Of Prometheus itself.
  const names = new Set(["up", "ALERTS"]);
  for (const engine of ["sqlite", "postgres"] as const) {
    await using desk = await openTestDesk(engine);
    const credential = await desk.token(["metrics"]);
    const text = await (await desk.send("GET", "/metrics", { credential })).text();
    for (const [, name = "", type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const parts = type === "histogram" ? ["_bucket", "_count", "_sum"] : [""];
      for (const part of parts) names.add(name + part);
    }
  }
  return names;
}

const namesIn = (expression: string) =>
  [...expression.replaceAll(/"[^"]*"/g, "").matchAll(/\b(keydesk|process)_\w+\b/g)].map(([name]) =>
    name
  );

Deno.test("deploy: every figure of the alerts and the dashboard is one that a server tells", async () => {
  const known = await figures();
  const alerts = await Deno.readTextFile(join(repository, "deploy/prometheus/alerts.yml"));
  const dashboard = JSON.parse(
    await Deno.readTextFile(join(repository, "deploy/grafana/keydesk.json")),
  );
  // deno-lint-ignore no-explicit-any -- a dashboard as Grafana writes it
  const panels: any[] = dashboard.panels.filter(({ type }: { type: string }) => type !== "row");
  const expressions = [
    ...[...alerts.matchAll(/expr: (.*)/g)].map(([, expression = ""]) => expression),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }: { expr: string }) => expr)),
    // deno-lint-ignore no-explicit-any -- the same
    ...dashboard.annotations.list.map(({ expr }: any) => expr),
    // deno-lint-ignore no-explicit-any -- the same
    ...dashboard.templating.list.map(({ query }: any) => query.query ?? ""),
  ];
  assert.ok(expressions.length > 50);
  for (const expression of expressions) {
    const names = namesIn(expression);
    for (const name of names) assert.ok(known.has(name), `${name}: ${expression}`);
  }
  // Of what is not there at rest 0 is shown, and not "No data".
  for (const title of ["Problems", "Answered 5xx", "Wrong credentials", "Damaged rows"]) {
    const panel = panels.find((one) => one.title === title);
    const [{ expr }] = panel.targets;
    const isZero = / or (on\(\) )?vector\(0\)/.test(expr) ||
      panel.fieldConfig.defaults.noValue === "0";
    assert.ok(isZero, `${title}: ${expr}`);
  }
  // What is told is shown.
  const shown = new Set(
    expressions.flatMap(namesIn).map((name) => name.replace(/_bucket|_count/, "")),
  );
  const left = [...known].filter((name) =>
    name.startsWith("keydesk_") && !/_(count|sum|bucket)$/.test(name)
  )
    .filter((name) => !shown.has(name));
  assert.deepEqual(left.sort(), [
    "keydesk_last_commit_timestamp_seconds",
    "keydesk_scrub_round_timestamp_seconds",
    "keydesk_store_metrics_age_seconds",
  ]);
  // Grafana takes two panels of one number, or at one place, and shows one of them.
  const all: { id: number; gridPos: { x: number; y: number; w: number } }[] = dashboard.panels;
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.equal(new Set(all.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size, all.length);
  for (const { gridPos: { x, w } } of all) assert.ok(x + w <= 24);
});
