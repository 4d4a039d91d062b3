/**
 * Two nodes are restarted one after another behind nginx, HAProxy and Caddy, under load: no call
 * fails. Each drains until every proxy has turned away, however long a busy machine takes for that;
 * the long form drains for as long as the proxies' configurations are written for.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { effort } from "../../test/support/effort.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { balancerFile, balancers, lastingPort, startBalancer } from "../support/proxies.ts";
import { makeTls } from "../support/tls.ts";

/** Each restarts both nodes. */
const ROUNDS = 2 * effort;
/** Clients of each proxy. */
const CLIENTS = 2;
/**
 * In the long form: a proxy that calls a node for so much of its drain has not turned away; that no
 * call failed was luck.
 */
const MOST_OF_THE_DRAIN = 0.8;
/**
 * A proxy that sends so many calls to the other node and none to this one has turned away. nginx
 * tries one again after each `fail_timeout`, within which a busy machine has to send as many.
 */
const CALLS_ELSEWHERE = 10;
/** Between two calls of a client: the load is to go on for long, not to be heavy. */
const PAUSE_MS = 10;
const ADMINISTRATOR = "administrator-of-the-rolling-restart-test";
const REQUESTS = "/api/portal/requests";

/** What comes sooner after the first signal is the same one (src/cli/serve.ts). */
const SAME_SIGNAL_MS = 600;

/** What the clients have seen. */
interface Seen {
  calls: number;
  readonly failed: string[];
}

/**
 * A client that keeps its connection: files, reads, approves and verifies, until it is told to end.
 */
async function work(
  url: string,
  authority: string,
  name: string,
  seen: Seen,
  isOver: () => boolean,
): Promise<void> {
  using client = Deno.createHttpClient({ caCerts: [authority] });
  let calls = 0;
  // deno-lint-ignore no-explicit-any -- whatever the server under test sends
  const call = async (method: string, path: string, body?: unknown, more = {}): Promise<any> => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    seen.calls++;
    const began = new Date().toISOString();
    try {
      const response = await fetch(url + path, {
        method,
        client,
        headers: { authorization: ADMINISTRATOR, "x-request-id": `${name}-${++calls}`, ...more },
        ...body === undefined ? {} : { body: JSON.stringify(body) },
      });
      const text = await response.text();
      if (response.status === 200) return text === "" ? {} : JSON.parse(text);
      seen.failed.push(`${name} ${began} ${method} ${path}: ${response.status} ${text}`);
    } catch (error) {
      seen.failed.push(`${name} ${began} ${method} ${path}: ${error}`);
    }
  };
  while (!isOver()) {
    const filed = await call("POST", REQUESTS, { by_user: name, for_plan: "weather" });
    if (filed === undefined) continue;
    await call("UPDATE", `${REQUESTS}/${filed.Message}`, { by_user: name, for_plan: "weather" });
    await call("GET", `${REQUESTS}/${filed.Message}`);
    const approved = await call("PUT", `${REQUESTS}/approve/${filed.Message}`);
    if (approved === undefined) continue;
    const verdict = await call("POST", "/v1/keys/verify", { key: approved.RawKey });
    if (verdict && !verdict.valid) seen.failed.push(`${name}: ${JSON.stringify(verdict)}`);
    await call("GET", "/v1/forward-auth", undefined, {
      "x-keydesk-authorization": ADMINISTRATOR,
      authorization: approved.RawKey,
    });
    await call("GET", `${REQUESTS}?p=1`);
  }
}

/** The drain that a proxy's configuration is written for. */
async function drainOf(kind: typeof balancers[number]): Promise<string> {
  const text = await Deno.readTextFile(balancerFile(kind));
  const [, ms] = /KEYDESK_DRAIN_MS=(\d+)/.exec(text) ?? [];
  assert.ok(ms, kind);
  return ms;
}

/** How long after the drain began a proxy sent the node its last call, as a share of the drain. */
function lastCallOf(output: string, kind: string): number {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const timeOf = (text: string) =>
    Date.parse(JSON.parse(lines.findLast((line) => line.includes(text)) ?? "{}").time);
  const began = timeOf('"draining"');
  return Math.max(0, timeOf(`"${kind}-`) - began) / (timeOf('"stopping"') - began);
}

/** How many calls came through each proxy since a node began. */
type Calls = Map<string, number>;

/** Counts a line of a node's log. */
function countCall(calls: Calls, line: string): void {
  const kind = balancers.find((kind) => line.includes(`"${kind}-`));
  if (kind) calls.set(kind, (calls.get(kind) ?? 0) + 1);
}

/** Waits until each proxy calls the other node alone. */
async function allTurnAway(calls: readonly Calls[], n: number): Promise<void> {
  const callsOf = (node: number, kind: string) => calls[node]?.get(kind) ?? 0;
  const left = new Set<string>(balancers);
  const seen = new Map<string, { here: number; elsewhere: number }>();
  await eventually("every proxy turns away", () => {
    for (const kind of left) {
      const [here, elsewhere] = [callsOf(n, kind), callsOf(1 - n, kind)];
      const last = seen.get(kind);
      if (last?.here !== here) seen.set(kind, { here, elsewhere });
      else if (elsewhere - last.elsewhere >= CALLS_ELSEWHERE) left.delete(kind);
    }
    return left.size === 0;
  });
}

Deno.test({
  name: `${ROUNDS} rolling restarts of two nodes behind nginx, HAProxy and Caddy: no call fails`,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withFolder(async (folder) => {
      await using postgres = await startPostgres();
      const drains = await Promise.all(balancers.map(drainOf));
      assert.equal(new Set(drains).size, 1);
      // The short form ends it itself, by a second signal.
      const KEYDESK_DRAIN_MS = effort > 1 ? drains[0] ?? "" : "600000";
      const environment = {
        KEYDESK_ADMIN_TOKEN: ADMINISTRATOR,
        KEYDESK_DATABASE_URL: await postgres.createDatabase(),
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
        KEYDESK_DRAIN_MS,
        // A busy machine may pause a node for longer than a gateway waits by default, restart or
        // not.
        KEYDESK_VERIFY_MAX_STALE_MS: "20000",
      };
      const ports = [lastingPort(), lastingPort()];
      const nodes: ServerProcess[] = [];
      const calls: Calls[] = [];
      const start = async (n: number) => {
        const KEYDESK_PORT = String(ports[n]);
        const counted: Calls = calls[n] = new Map();
        nodes[n] = await startServerProcess({
          dataDir: folder,
          environment: { ...environment, KEYDESK_PORT },
          onLine: (line) => countCall(counted, line),
        });
      };
      const seen: Seen = { calls: 0, failed: [] };
      let isOver = false;
      try {
        await start(0);
        await start(1);
        const addresses = {
          NODE_A_ADDRESS: `127.0.0.1:${ports[0]}`,
          NODE_B_ADDRESS: `127.0.0.1:${ports[1]}`,
        };
        using tls = await makeTls(folder);
        await using doors = new AsyncDisposableStack();
        const urls: Record<string, string> = {};
        for (const kind of balancers) {
          urls[kind] = doors.use(await startBalancer(kind, addresses, tls, folder)).url;
        }
        const plan = { _id: "weather", id: "weather", name: "Weather", active: true };
        const added = await nodes[0]?.send("POST", "/api/portal/policies", { body: plan });
        assert.equal(added?.status, 200);
        const working = Object.entries(urls).flatMap(([kind, url]) =>
          Array.from({ length: CLIENTS }, (_, n) =>
            work(url, tls.authority.text, `${kind}-${n}`, seen, () => isOver))
        );
        try {
          for (let round = 0; round < ROUNDS; round++) {
            for (const n of nodes.keys()) {
              // The next one goes once every proxy sends calls to both: gateways' and the others,
              // which it asks for apart.
              for (const kind of balancers) {
                for (const path of ["/v1/keys/verify", REQUESTS]) {
                  const isCalled = (node: ServerProcess) =>
                    node.output().split("\n").some((line) =>
                      line.includes(`"${kind}-`) && line.includes(path)
                    );
                  await eventually(`${kind} calls both nodes: ${path}`, () =>
                    nodes.every(isCalled));
                }
              }
              const node = nodes[n];
              node?.kill("SIGTERM");
              if (effort === 1) {
                await eventually("a drain", () => node?.output().includes('"draining"') ?? false);
                await new Promise((resolve) => setTimeout(resolve, SAME_SIGNAL_MS));
                await allTurnAway(calls, n);
                node?.kill("SIGTERM");
              }
              assert.equal((await node?.ended)?.code, 0);
              for (const kind of effort > 1 ? balancers : []) {
                const share = lastCallOf(node?.output() ?? "", kind);
                assert.ok(share < MOST_OF_THE_DRAIN, `${kind} called ${share} of the drain long`);
              }
              await start(n);
            }
          }
        } finally {
          isOver = true;
          await Promise.all(working);
        }
        const problems = nodes.flatMap((node) =>
          node.output().split("\n").filter((line) => line.includes('"problem'))
        );
        assert.deepEqual(
          seen.failed.slice(0, 20),
          [],
          `${seen.failed.length} of ${seen.calls} ${problems.join("\n")}`,
        );
        console.log(`${2 * ROUNDS} restarts, ${seen.calls} calls, none failed`);
      } finally {
        for (const node of nodes) await node[Symbol.asyncDispose]();
      }
    }),
});

for (const kind of balancers) {
  Deno.test(`${kind}: where no node says that it is ready, one answers all the same`, async () => {
    await withFolder(async (folder) => {
      const asked: string[] = [];
      const startNode = () =>
        Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
          const { pathname } = new URL(request.url);
          if (pathname === "/readyz") {
            asked.push(pathname);
            return new Response(null, { status: 503 });
          }
          return new Response(`${request.method} ${pathname} ${await request.text()}`);
        });
      await using a = startNode();
      const b = startNode();
      const addresses = {
        NODE_A_ADDRESS: `127.0.0.1:${a.addr.port}`,
        NODE_B_ADDRESS: `127.0.0.1:${b.addr.port}`,
      };
      using tls = await makeTls(folder);
      await using proxy = await startBalancer(kind, addresses, tls, folder);
      const call = async (method: string, path: string) => {
        const body = method === "GET" ? null : "body";
        const response = await fetch(proxy.url + path, { method, body, client: tls.client });
        return [response.status, await response.text()];
      };
      const paths = [`${REQUESTS}/approve/x`, "/v1/keys/verify"];
      for (const path of paths) {
        for (let n = 0; n < 10 || asked.length < 4; n++) {
          assert.deepEqual(await call("PUT", path), [200, `PUT ${path} body`]);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      // Nor is the other one there any more. Caddy before 2.7.5 looks for another one only for
      // calls that change nothing.
      await b.shutdown();
      const method = kind === "caddy" ? "GET" : "PUT";
      for (const path of paths) {
        for (let n = 0; n < 3; n++) assert.equal((await call(method, path))[0], 200);
      }
    });
  });
}
