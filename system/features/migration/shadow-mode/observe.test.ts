/** docs/gateways/observe.js behind a real nginx, with the configuration of docs/gateways. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { observing } from "../../../../examples/moving/plugin.ts";
import { repository } from "../../../../test/support/command.ts";
import { withFolder } from "../../../../test/support/processes.ts";
import { placeAtNginx } from "../../../support/placed-gateways.ts";
import { freePort, startProxy } from "../../../support/proxies.ts";

Deno.test("observe: behind nginx a Keydesk that hangs is away, and the gateway decides as ever", async () => {
  await withFolder(async (folder) => {
    const hangs = Promise.withResolvers<void>();
    const verdict = { decide: false, valid: true, reason: null, retry_after: null, receipt: "one" };
    const asked: string[] = [];
    await using desk = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const { pathname } = new URL(request.url);
        asked.push(`${request.method} ${pathname} ${request.headers.get("authorization")}`);
        await hangs.promise;
        return Response.json(pathname.endsWith("/allowed") ? { counted: true } : verdict);
      },
    );
    const text = await Deno.readTextFile(join(repository, "docs/gateways/observe.nginx.conf"));
    const how = { at: `127.0.0.1:${freePort()}` };
    const words = { DESK_ADDRESS: `127.0.0.1:${desk.addr.port}`, GATEWAY_ADDRESS: how.at };
    const file = await placeAtNginx({ "conf.d/observe.conf": text }, words, folder);
    await using door = await startProxy("nginx", file, "GATEWAY_ADDRESS", words, folder, how);
    const code = await Deno.readTextFile(join(repository, "docs/gateways/observe.js"));
    const settings = { keydesk: door.url, access_token: "the-token" };
    const gateway = (status: number) => observing(code, settings, () => Promise.resolve(status));
    for (const status of [200, 401]) {
      const { ask, told } = gateway(status);
      assert.equal(await ask("a key", "weather"), status);
      assert.deepEqual([told.unsure, told.there], [1, 0]);
    }
    // One question a call, and what was asked is not asked again.
    assert.deepEqual(asked, Array(2).fill("POST /v1/keys/shadow the-token"));
    hangs.resolve();
    const { ask, told } = gateway(200);
    assert.equal(await ask("a key", "weather"), 200);
    assert.deepEqual([told.unsure, told.there], [0, 1]);
    assert.equal(asked.at(-1), "POST /v1/keys/shadow/allowed the-token");
  });
});
