/**
 * A node that can't write, behind each proxy with its configuration out of deploy/proxies: what
 * gateways ask is answered by it, changes are 503 in the desk's own words, and all returns by
 * itself.
 */
import assert from "node:assert/strict";
import { eventually } from "../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { failCalls } from "../support/faults.ts";
import { balancers, startBalancer } from "../support/proxies.ts";
import { makeTls } from "../support/tls.ts";

const ADMINISTRATOR = "administrator-of-the-full-disk-test";
const REQUESTS = "/api/portal/requests";
const VERIFY = "/v1/keys/verify";
const FORWARD_AUTH = "/v1/forward-auth";
/** Trusts the proxies' certificate. */
let client: Deno.HttpClient;
const WRITES = ["pwrite64", "pwritev", "ftruncate", "fallocate"];

Deno.test("a full disk behind nginx, HAProxy and Caddy: gateways are answered, changes are 503, and all returns", async () => {
  await withFolder(async (dataDir) => {
    const environment = { KEYDESK_ADMIN_TOKEN: ADMINISTRATOR };
    await using server = await startServerProcess({ dataDir, environment });
    // There is nobody who could answer in its place.
    const { host } = new URL(server.url);
    const nodes = { NODE_A_ADDRESS: host, NODE_B_ADDRESS: host };
    using tls = await makeTls(dataDir);
    ({ client } = tls);
    const key = await issue(server);
    await using proxies = new AsyncDisposableStack();
    const urls: [kind: string, url: string][] = [];
    for (const kind of balancers) {
      urls.push([kind, proxies.use(await startBalancer(kind, nodes, tls, dataDir)).url]);
    }
    const everywhere = async (work: (url: string, kind: string) => Promise<void>) => {
      for (const [kind, url] of urls) await work(url, kind);
    };
    const gateways = () => everywhere((url, kind) => gatewayCalls(url, kind, key));

    await everywhere((url) => eventually("a change", async () => (await file(url)).status === 200));
    await gateways();
    const fault = await failCalls(server.pid, WRITES, "ENOSPC", [`${dataDir}/keydesk.db-wal`]);
    await everywhere(async (url, kind) => assert.equal((await file(url)).status, 503, kind));
    await eventually("it is known", async () => await statusOf(server.url, "/readyz") === 503);
    // For longer than any proxy needs to turn away from a node.
    const until = Date.now() + 4000;
    do {
      await gateways();
      await everywhere(async (url, kind) => {
        const refused = await file(url);
        const told = `${kind}: ${refused.status} ${refused.text}`;
        assert.equal(refused.status, 503, told);
        assert.equal(refused.code, "unavailable", told);
      });
    } while (Date.now() < until);
    await fault.mend();
    await everywhere((url, kind) =>
      eventually(`changes by ${kind}`, async () => (await file(url)).status === 200)
    );
    await gateways();
  });
});

/** A key that opens an API. */
async function issue(server: ServerProcess): Promise<string> {
  const plan = { _id: "weather", id: "weather", name: "Weather", active: true };
  assert.equal((await call(server.url, "POST", "/api/portal/policies", plan)).status, 200);
  const { Message } = JSON.parse((await file(server.url)).text);
  const approved = await call(server.url, "PUT", `${REQUESTS}/approve/${Message}`);
  assert.equal(approved.status, 200, approved.text);
  return JSON.parse(approved.text).RawKey;
}

const file = (url: string) =>
  call(url, "POST", REQUESTS, {
    by_user: "d",
    for_plan: "weather",
    fields: { text: "x".repeat(20_000) },
  });

/** What gateways ask: the key opens, and one that nobody issued does not. */
async function gatewayCalls(url: string, kind: string, key: string): Promise<void> {
  const verdict = await call(url, "POST", VERIFY, { key });
  assert.equal(verdict.status, 200, `${kind}: ${verdict.text}`);
  assert.equal(JSON.parse(verdict.text).valid, true);
  const ask = async (authorization: string) => {
    const asked = { "x-keydesk-authorization": ADMINISTRATOR, authorization };
    return (await call(url, "GET", FORWARD_AUTH, undefined, asked)).status;
  };
  assert.equal(await ask(key), 200, kind);
  assert.equal(await ask("nobody-issued-it"), 401, kind);
}

async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url + path, {
    method,
    client,
    headers: { authorization: ADMINISTRATOR, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const code = response.headers.get("x-keydesk-error");
  return { status: response.status, text: await response.text(), code };
}

async function statusOf(url: string, path: string): Promise<number> {
  const response = await fetch(url + path);
  await response.body?.cancel();
  return response.status;
}
