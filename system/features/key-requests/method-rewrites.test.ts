/**
 * Real nginx, Caddy and HAProxy with the configurations of docs/rewrites: UPDATE goes on as PUT.
 */
import assert from "node:assert/strict";
import { startServerProcess, withFolder } from "../../../test/support/processes.ts";
import { rewriters, startApi, startRewriter } from "../../support/proxies.ts";

const REQUESTS = "/api/portal/requests";
const ID = "65b0c1d2e3f4a5b6c7d8e9f0";
const OVERRIDE = { "x-http-method-override": "UPDATE" };

for (const kind of rewriters) {
  Deno.test(`${kind}: what replaces a key request goes on as PUT, everything else as it came`, async () => {
    await withFolder(async (folder) => {
      await using desk = startApi();
      await using proxy = await startRewriter(kind, desk.address, folder);
      desk.reached.splice(0);
      const calls: [sent: string, path: string, headers: Record<string, string>, goes: string][] = [
        ["UPDATE", `${REQUESTS}/${ID}`, {}, "PUT"],
        ["UPDATE", `${REQUESTS}/${ID}/`, {}, "PUT"],
        ["POST", `${REQUESTS}/${ID}`, OVERRIDE, "PUT"],
        ["POST", `${REQUESTS}/${ID}?x=1`, OVERRIDE, "PUT"],
        ["POST", `${REQUESTS}/${ID}`, {}, "POST"],
        ["POST", `${REQUESTS}/${ID}`, { "x-http-method-override": "DELETE" }, "POST"],
        ["PUT", `${REQUESTS}/${ID}`, OVERRIDE, "PUT"],
        ["DELETE", `${REQUESTS}/${ID}`, OVERRIDE, "DELETE"],
        ["POST", REQUESTS, OVERRIDE, "POST"],
        ["PUT", `${REQUESTS}/approve/${ID}`, {}, "PUT"],
        ["POST", `${REQUESTS}/approve/${ID}`, OVERRIDE, "POST"],
        ["UPDATE", `/v1/key-requests/${ID}`, {}, "UPDATE"],
      ];
      for (const [method, path, headers, goes] of calls) {
        const body = `{"sent":"${method}"}`;
        const response = await fetch(proxy.url + path, { method, headers, body });
        await response.text();
        const [reached] = desk.reached.splice(0);
        assert.deepEqual([reached?.method, reached?.path, reached?.body], [goes, path, body]);
        const isOne = /^\/api\/portal\/requests\/\w+\/?(\?|$)/.test(path);
        const left = isOne ? null : headers["x-http-method-override"] ?? null;
        assert.equal(reached?.headers.get("x-http-method-override"), left, `${method} ${path}`);
      }
    });
  });

  Deno.test(`${kind}: a key request is replaced through it, by a desk that heeds no override`, async () => {
    await withFolder(async (folder) => {
      await using desk = await startServerProcess({ dataDir: folder });
      await using proxy = await startRewriter(kind, `${desk.hostname}:${desk.port}`, folder);
      const body = { by_user: "dev", for_plan: "plan" };
      const { body: { Message: id } } = await desk.send("POST", REQUESTS, { body });
      for (const [method, more] of [["UPDATE", {}], ["POST", OVERRIDE]] as const) {
        const response = await fetch(`${proxy.url}${REQUESTS}/${id}`, {
          method,
          headers: { authorization: desk.credential, ...more },
          body: JSON.stringify({ ...body, version: method }),
        });
        assert.deepEqual(await response.json(), { Status: "OK", Message: id, Meta: null });
        assert.equal((await desk.send("GET", `${REQUESTS}/${id}`)).body.version, method);
      }
    });
  });
}
