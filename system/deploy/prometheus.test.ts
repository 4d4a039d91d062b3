/**
 * Debian's Prometheus and Alertmanager with the files of deploy/prometheus: rules, and an alert
 * that reaches a webhook.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, run } from "../../test/support/command.ts";
import { PATIENCE_MS } from "../../test/support/eventually.ts";
import { startServerProcess, withFolder } from "../../test/support/processes.ts";
import { fillIn } from "../support/placed-gateways.ts";
import { lastingPort } from "../support/proxies.ts";

const FILES = join(repository, "deploy/prometheus");

async function promtool(...words: string[]): Promise<void> {
  const { code, stdout, stderr } = await run(["promtool", ...words]);
  assert.equal(code, 0, `${stdout}${stderr}`);
}

Deno.test("alerts: the rules are valid; each fires where it should, and not for what stands beside it", async () => {
  await promtool("check", "rules", "--lint-fatal", join(FILES, "alerts.yml"));
  await promtool("test", "rules", join(FILES, "alerts.test.yml"));
  const rules = await Deno.readTextFile(join(FILES, "alerts.yml"));
  const tests = await Deno.readTextFile(join(FILES, "alerts.test.yml"));
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  assert.ok(names.length > 10);
  for (const name of names) {
    for (const how of ["fires", "does not fire"]) {
      assert.ok(tests.includes(`- name: ${name} ${how}\n`), `${name} ${how}`);
    }
  }
});

/** A program that runs until the end of a test. */
function start(command: string, args: string[], cwd: string): AsyncDisposable & { told(): string } {
  const child = new Deno.Command(command, {
    args,
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let told = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) told += text;
  })();
  return {
    told: () => told,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.status;
      await reading;
    },
  };
}

async function until<T>(look: () => Promise<T | undefined>, what: () => string): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    assert.ok(Date.now() < deadline, what());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// deno-lint-ignore no-explicit-any -- whatever Prometheus and Alertmanager tell
type Told = any;

Deno.test("alerts: Prometheus scrapes a server; when it is killed, a webhook is told by Alertmanager", async () => {
  await withFolder(async (folder) => {
    const calls: Told[] = [];
    await using _webhook = Deno.serve({
      hostname: "127.0.0.1",
      port: 0,
      onListen: () => {},
    }, async (request) => {
      calls.push(await request.json());
      return new Response();
    });
    const figures = `127.0.0.1:${lastingPort()}`;
    const prometheus = `127.0.0.1:${lastingPort()}`;
    const alertmanager = `127.0.0.1:${lastingPort()}`;
    const words = {
      TARGETS: `["${figures}"]`,
      ALERTMANAGER: alertmanager,
      WEBHOOK_URL: `http://127.0.0.1:${_webhook.addr.port}/`,
    };
    for (const name of ["prometheus.yml", "alertmanager.yml", "alerts.yml"]) {
      const file = join(folder, name);
      await fillIn(join(FILES, name), words, file);
      // As they are but for their patience.
      const text = await Deno.readTextFile(file);
      await Deno.writeTextFile(
        file,
        text.replaceAll(/(scrape_interval|evaluation_interval|group_wait): \S+/g, "$1: 1s")
          .replaceAll(/^( +for): \S+/gm, "$1: 1s"),
      );
    }
    await promtool("check", "config", join(folder, "prometheus.yml"));
    // Before Prometheus, which would miss it.
    const environment = { KEYDESK_METRICS_PORT: figures.split(":")[1] ?? "" };
    const desk = await startServerProcess({ dataDir: folder, environment });
    await using watching = start("prometheus", [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "series")}`,
      `--web.listen-address=${prometheus}`,
    ], folder);
    await using telling = start("prometheus-alertmanager", [
      `--config.file=${join(folder, "alertmanager.yml")}`,
      `--storage.path=${join(folder, "alerts")}`,
      `--web.listen-address=${alertmanager}`,
      "--cluster.listen-address=",
    ], folder);
    const what = () => `${watching.told()}${telling.told()}`;
    try {
      const ask = async (query: string) => {
        const url = `http://${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`;
        return (await (await fetch(url)).json()).data.result as Told[];
      };
      await until(async () => (await ask("up == 1"))[0], what);
      const [info] = await until(async () => {
        const found = await ask('keydesk_info{engine="sqlite"}');
        return found.length > 0 ? found : undefined;
      }, what);
      assert.equal(info.metric.job, "keydesk");
      await until(async () => {
        const response = await fetch(`http://${alertmanager}/-/ready`);
        await response.body?.cancel();
        return response.ok || undefined;
      }, what);
      const down = calls.flatMap(({ alerts }) => alerts).map(({ labels }) => labels.alertname);
      assert.ok(!down.includes("KeydeskDown"), "it is there");
    } finally {
      await desk[Symbol.asyncDispose]();
    }
    const told = await until(async () => {
      const alerts = calls.flatMap((call) => call.alerts);
      return alerts.find(({ labels }) => labels.alertname === "KeydeskDown");
    }, what);
    assert.deepEqual([told.status, told.labels.severity, told.labels.instance], [
      "firing",
      "critical",
      figures,
    ]);
    assert.match(told.annotations.description, /has not answered/);
  });
});
