/** A stop while calls come in. */
import assert from "node:assert/strict";
import { readConfig } from "../../src/config.ts";
import { type RunningServer, startServer } from "../../src/server.ts";
import { openTestDesk } from "../support/desk.ts";
import { headOf, RawConnection } from "../support/raw-http.ts";

Deno.test("stop: calls that were read before it are answered", async () => {
  await using desk = await openTestDesk("sqlite");
  const { ctx } = desk.app;
  let stops = false;
  let stopped: Promise<void> | undefined;
  const server: RunningServer = await startServer(readConfig({ KEYDESK_PORT: "0" }), {
    ...desk.app,
    // The desk closes its store itself.
    ctx: { ...ctx, storage: { ...ctx.storage, close: () => Promise.resolve() } },
    fetch: (request, peer) => {
      if (stops) stopped ??= server.stop();
      return desk.app.fetch(request, peer);
    },
  });
  const call = headOf(desk.admin, "GET", "/healthz");
  const connections: RawConnection[] = [];
  for (let n = 0; n < 16; n++) {
    const connection = await RawConnection.open(server.address);
    connections.push(connection);
    await connection.send(call);
    assert.equal((await connection.answer())?.status, 200);
  }
  // All arrive while this thread, which is the server's, is busy; the first that is handed over
  // stops it.
  stops = true;
  const sent = connections.map((connection) => connection.send(call));
  const busyUntil = performance.now() + 50;
  while (performance.now() < busyUntil);
  await Promise.all(sent);
  const statuses = await Promise.all(
    connections.map(async (connection) => (await connection.answer())?.status),
  );
  await stopped;
  for (const connection of connections) connection.close();
  assert.deepEqual(statuses, Array(16).fill(200));
});
