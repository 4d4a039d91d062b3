/**
 * Real nginx, Caddy and HAProxy with the configurations of deploy/proxies: TLS, HTTP/2, HSTS, and
 * every method.
 */
import assert from "node:assert/strict";
import { run } from "../../test/support/command.ts";
import { startServerProcess, withFolder } from "../../test/support/processes.ts";
import { balancers, freePort, startApi, startBalancer } from "../support/proxies.ts";
import { makeTls } from "../support/tls.ts";

const REQUESTS = "/api/portal/requests";
const HSTS = "max-age=31536000; includeSubDomains";

for (const kind of balancers) {
  Deno.test(`${kind}: a call comes by HTTP/2 or 1.1 over TLS 1.2 or later, and is told to stay there`, async () => {
    await withFolder(async (folder) => {
      // It says the same of itself, since people reach it by https.
      const environment = { KEYDESK_PUBLIC_URL: "https://localhost" };
      await using desk = await startServerProcess({ dataDir: folder, environment });
      const { host } = new URL(desk.url);
      using tls = await makeTls(folder);
      const nodes = { NODE_A_ADDRESS: host, NODE_B_ADDRESS: host };
      await using proxy = await startBalancer(kind, nodes, tls, folder);
      const curl = async (url: string, ...words: string[]) => {
        const told = ["--silent", "--include", "--output", "-", "--cacert", tls.authority.file];
        const { stdout, code } = await run(["curl", ...told, ...words, url]);
        return { code, lines: stdout.split("\r\n") };
      };
      for (const [how, version] of [["--http2", "HTTP/2 200"], ["--http1.1", "HTTP/1.1 200"]]) {
        const { lines } = await curl(`${proxy.url}/readyz`, how ?? "");
        assert.equal(lines[0]?.trim().replace(" OK", ""), version);
        const told = lines.filter((line) => /^strict-transport-security:/i.test(line));
        assert.deepEqual(told.map((line) => line.split(": ")[1]), [HSTS]);
      }
      const old = await curl(`${proxy.url}/readyz`, "--tls-max", "1.1");
      assert.equal(old.code, 35);
      const plain = await curl(proxy.url.replace("https:", "http:"));
      assert.doesNotMatch(plain.lines[0] ?? "", /200/);

      const body = { by_user: "dev", for_plan: "plan" };
      const { body: { Message: id } } = await desk.send("POST", REQUESTS, { body });
      for (const how of ["--http2", "--http1.1"]) {
        const replaced = ["--request", "UPDATE", "--header", `authorization: ${desk.credential}`];
        const data = ["--data", JSON.stringify({ ...body, version: how })];
        const { lines } = await curl(`${proxy.url}${REQUESTS}/${id}`, how, ...replaced, ...data);
        assert.match(lines[0] ?? "", /200/);
        assert.equal((await desk.send("GET", `${REQUESTS}/${id}`)).body.version, how);
      }
    });
  });

  Deno.test(`${kind}: the desk is told who calls and how, whatever the caller says of it`, async () => {
    await withFolder(async (folder) => {
      await using desk = startApi();
      using tls = await makeTls(folder);
      const nodes = { NODE_A_ADDRESS: desk.address, NODE_B_ADDRESS: desk.address };
      await using proxy = await startBalancer(kind, nodes, tls, folder);
      const headers = { "x-forwarded-proto": "http", "x-forwarded-for": "192.0.2.1" };
      const response = await fetch(`${proxy.url}/hello`, { headers, client: tls.client });
      await response.text();
      const reached = desk.reached.find(({ path }) => path === "/hello");
      assert.equal(reached?.headers.get("x-forwarded-proto"), "https");
      // Keydesk reads it from its end, up to the first address that is no proxy's.
      const addresses = reached?.headers.get("x-forwarded-for") ?? "";
      assert.equal(addresses.split(",").at(-1)?.trim(), "127.0.0.1");
    });
  });
}

Deno.test("nginx, HAProxy and Caddy: their own refusals are told to stay with TLS too", async () => {
  await withFolder(async (folder) => {
    using tls = await makeTls(folder);
    const nobody = `127.0.0.1:${freePort()}`;
    const nodes = { NODE_A_ADDRESS: nobody, NODE_B_ADDRESS: nobody };
    await Promise.all(balancers.map(async (kind) => {
      await using proxy = await startBalancer(kind, nodes, tls, folder);
      const response = await fetch(`${proxy.url}/readyz`, { client: tls.client });
      await response.body?.cancel();
      assert.ok([502, 503].includes(response.status), `${kind} ${response.status}`);
      assert.equal(response.headers.get("strict-transport-security"), HSTS, kind);
    }));
  });
});

Deno.test("nginx, HAProxy and Caddy: a call that no node answers leaves none of its words in their logs", async () => {
  await withFolder(async (folder) => {
    using tls = await makeTls(folder);
    const nobody = `127.0.0.1:${freePort()}`;
    const nodes = { NODE_A_ADDRESS: nobody, NODE_B_ADDRESS: nobody };
    await Promise.all(balancers.map(async (kind) => {
      const proxy = await startBalancer(kind, nodes, tls, folder);
      for (const path of ["api/keys/a-word-of-the-path", "v1/keys/verify"]) {
        const response = await fetch(`${proxy.url}/${path}?q=a-word-of-the-query`, {
          client: tls.client,
          headers: { authorization: "a-word-of-a-header", "x-csrf-token": "a-word-of-another" },
        });
        await response.body?.cancel();
        assert.ok([502, 503].includes(response.status), `${kind} ${response.status}`);
      }
      await proxy[Symbol.asyncDispose]();
      assert.doesNotMatch(proxy.errors(), /a-word-of/, kind);
    }));
  });
});
