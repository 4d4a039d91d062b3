/**
 * What is counted of calls outlives a stop whole, and a kill but for its last seconds; it is never
 * too high.
 */
import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

/** A key of a plan, issued by the server. */
async function issueKey(server: ServerProcess): Promise<string> {
  await send(server, "POST", "/api/portal/policies", { id: "plan", name: "Plan" });
  const asked = await send(server, "POST", "/api/portal/requests", {
    by_user: "dev",
    for_plan: "plan",
  });
  return (await send(server, "PUT", `/api/portal/requests/approve/${asked.Message}`)).RawKey;
}

async function send(server: ServerProcess, method: string, path: string, body?: unknown) {
  const answer = await server.send(method, path, body === undefined ? {} : { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

async function verify(server: ServerProcess, key: string, times: number): Promise<void> {
  for (let call = 0; call < times; call++) {
    assert.equal((await send(server, "POST", "/v1/keys/verify", { key })).valid, true);
  }
}

const hitsOf = async (server: ServerProcess, query: string): Promise<number> =>
  (await send(server, "GET", `/v1/usage?${query}`)).total.hits;

Deno.test("usage: a stop writes what waits; a kill loses the last seconds and nothing else", () =>
  withFolder(async (dataDir) => {
    let key = "";
    let query = "";
    {
      await using server = await startServerProcess({ dataDir });
      key = await issueKey(server);
      query = "developer=dev";
      await verify(server, key, 30);
      server.kill("SIGTERM");
      await server.ended;
    }
    {
      await using server = await startServerProcess({ dataDir });
      assert.equal(await hitsOf(server, query), 30);
      await verify(server, key, 20);
      // Written by itself, after some seconds.
      await eventually("50 uses are counted", async () => await hitsOf(server, query) >= 50, 100);
      assert.equal(await hitsOf(server, query), 50);
      await verify(server, key, 10);
      server.kill("SIGKILL");
      await server.ended;
    }
    await using server = await startServerProcess({ dataDir });
    const left = await hitsOf(server, query);
    // Ten calls take no five seconds, unless the machine is very slow.
    assert.ok(left >= 50 && left <= 60, String(left));
    for (const other of ["plan=plan", "", "by=hour"]) {
      assert.equal(await hitsOf(server, other), left);
    }
  }));
