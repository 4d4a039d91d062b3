/** What Prometheus' own tool says of the figures of a real server. */
import assert from "node:assert/strict";
import { smallRequest } from "../test/support/key-requests.ts";
import { run } from "../test/support/command.ts";
import { startServerProcess, withFolder } from "../test/support/processes.ts";

Deno.test("metrics: promtool finds nothing to say against them, in both formats", async () => {
  await withFolder(async (folder) => {
    await using server = await startServerProcess({
      dataDir: folder,
      environment: { KEYDESK_METRICS_PORT: "0" },
    });
    const created = await server.send("POST", "/api/portal/requests", { body: smallRequest() });
    assert.equal(created.status, 200);
    await server.send("PUT", `/api/portal/requests/approve/${created.body.Message}`);
    await server.send("POST", "/v1/keys/verify", { body: { key: "none" } });
    const url = /"url":"([^"]+\/metrics)"/.exec(server.output())?.[1];
    assert.ok(url, server.output());
    const text = async (accept: string) => await (await fetch(url, { headers: { accept } })).text();
    const usual = await text("text/plain");
    const { code, stdout, stderr } = await run(["promtool", "check", "metrics"], { input: usual });
    assert.deepEqual([code, stdout, stderr], [0, "", ""]);
    const open = await text("application/openmetrics-text; version=1.0.0");
    const names = (one: string) => [...one.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(names(open))].sort(), [...new Set(names(usual))].sort());
  });
});
