/** `keydesk serve` when it is told to stop and is to drain first. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  repository,
  type ServerProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { eventually } from "../support/eventually.ts";

const REQUESTS = "/api/portal/requests";
/** Nobody waits for the end of such a drain. */
const LONG_MS = "600000";

async function withServer(
  drainMs: string,
  test: (server: ServerProcess, credential: string) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_DRAIN_MS: drainMs };
  const server = await startServerProcess(settings);
  let isStopped = false;
  const stop = (signal?: Deno.Signal) => {
    isStopped = true;
    return server.stop(signal);
  };
  try {
    const file = join(folder.path, "administrator-credential");
    await test({ ...server, stop }, (await Deno.readTextFile(file)).trim());
  } finally {
    // A server that drains for long does not end by asking.
    if (!isStopped) await server.stop("SIGKILL");
  }
}

/** Sends a call on a connection of its own. */
async function call(url: string, init: RequestInit = {}): Promise<Response> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const response = await fetch(url, { ...init, client });
  return new Response(await response.text(), response);
}

const isReady = async (server: ServerProcess) =>
  (await call(`${server.url}/readyz`)).status === 200;
const begins = (server: ServerProcess) =>
  eventually("the drain begins", async () => !await isReady(server));

Deno.test("drain: /readyz says 503, everything else is served, each answer the last of its connection", async () => {
  await withServer(LONG_MS, async (server, authorization) => {
    const headers = { authorization };
    assert.equal((await call(`${server.url}/readyz`)).status, 200);
    Deno.kill(server.pid, "SIGTERM");
    await begins(server);
    for (const path of ["/readyz", "/readyz?for=verify"]) {
      const answer = await call(server.url + path);
      assert.deepEqual([answer.status, answer.headers.get("x-keydesk-error")], [
        503,
        "unavailable",
      ]);
      assert.equal(answer.headers.get("connection"), "close");
    }
    assert.equal((await call(`${server.url}/healthz`)).status, 200);
    assert.equal((await call(`${server.url}/livez`)).status, 200);
    const body = JSON.stringify({ by_user: "ada", for_plan: "weather" });
    const filed = await call(`${server.url}${REQUESTS}`, { method: "POST", headers, body });
    assert.equal(filed.status, 200);
    assert.equal(filed.headers.get("connection"), "close");
    const { Message: id } = await filed.json();
    const approve = `${server.url}${REQUESTS}/approve/${id}`;
    const approved = await call(approve, { method: "PUT", headers });
    assert.equal(approved.status, 200);
    const { RawKey: key } = await approved.json();
    const asked = { method: "POST", headers, body: JSON.stringify({ key }) };
    assert.equal((await call(`${server.url}/v1/keys/verify`, asked)).status, 200);
    assert.ok(!server.stdout().includes('"stopping"'));
    // Nothing is wrong: no line of an error.
    const told = /^\{"level":"info"[^\n]*"problem":"draining"[^\n]*"msg":"problem begins"\}$/m;
    await eventually("the log tells of it", () => told.test(server.stdout()));
    assert.doesNotMatch(server.stdout(), /"level":"error"/);
  });
});

Deno.test("drain: it ends by itself, and the server stops as it always does", async () => {
  await withServer("1500", async (server) => {
    const began = performance.now();
    const { code, stdout } = await server.stop();
    assert.equal(code, 0);
    assert.ok(performance.now() - began >= 1500, "not before its time");
    const messages = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      // A busy machine warns of itself.
      .filter(({ level }) => level !== "warn").map(({ msg }) => msg);
    assert.deepEqual(messages, [
      "listening",
      "problem begins",
      "stopping",
      "audit log checkpoint",
      "stopped",
    ]);
  });
});

Deno.test("drain: a second signal ends it at once; two at the same moment are one", async () => {
  await withServer(LONG_MS, async (server) => {
    Deno.kill(server.pid, "SIGTERM");
    Deno.kill(server.pid, "SIGINT");
    await begins(server);
    assert.equal((await call(`${server.url}/healthz`)).status, 200);
    const repeating = setInterval(() => {
      try {
        Deno.kill(server.pid, "SIGINT");
      } catch {
        // It has ended.
      }
    }, 600);
    const { code, stdout } = await server.stop().finally(() => clearInterval(repeating));
    assert.equal(code, 0);
    assert.match(stdout, /"stopped"\}\n$/);
  });
});

const UNITS = ["keydesk.service", "keydesk@.service"].map((name) =>
  join(repository, "deploy/systemd", name)
);

Deno.test("drain: systemd waits for longer than the drain and the stop behind it", async () => {
  for (const file of UNITS) {
    const text = await Deno.readTextFile(file);
    const [, drainMs] = /^Environment=KEYDESK_DRAIN_MS=(\d+)$/m.exec(text) ?? [];
    const [, stopSeconds] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? [];
    assert.ok(drainMs && stopSeconds, text);
    // A stop takes ten seconds at the most.
    assert.ok(Number(stopSeconds) > Number(drainMs) / 1000 + 10);
  }
});

Deno.test("drain: the template is the unit, for several processes on one port", async () => {
  const [unit = "", template = ""] = await Promise.all(
    UNITS.map((file) => Deno.readTextFile(file)),
  );
  const linesOf = (text: string) =>
    text.split("\n").filter((line) =>
      !/^(#|$|Description=|Environment=KEYDESK_DRAIN_MS=)/.test(line)
    );
  const others = ["Environment=KEYDESK_REUSE_PORT=true", "Environment=KEYDESK_PROCESSES=2"];
  assert.deepEqual(
    linesOf(template).filter((line) => !others.includes(line)),
    linesOf(unit),
  );
  for (const line of others) assert.ok(template.includes(`\n${line}\n`), line);
});
