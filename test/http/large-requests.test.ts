import assert from "node:assert/strict";
import { headOf, RawConnection, startServerProcess } from "../support/raw-http.ts";

const LIST = "/api/portal/requests";
const READERS = 4;
const MIB = 1024 * 1024;

Deno.test("wire: stalled readers of a list hold little, however large its requests are", async () => {
  await using server = await startServerProcess();
  // 300 bytes to send, 90 kB to show: each empty entry is shown with all of its members.
  const body = JSON.stringify({ by_user: "a", for_plan: "b", catalogues: Array(100).fill({}) });
  for (let i = 0; i < 130; i++) {
    using connection = await RawConnection.open(server.address);
    await connection.send(
      headOf(server.admin, "POST", LIST, `Content-Length: ${body.length}`),
      body,
    );
    assert.equal((await connection.answer())?.status, 200);
  }
  const before = await server.memory();
  const readers = await Promise.all(Array.from({ length: READERS }, async () => {
    const connection = await RawConnection.open(server.address);
    await connection.send(headOf(server.admin, "GET", LIST));
    assert.ok(await connection.sip() > 0);
    return connection;
  }));
  using other = await RawConnection.open(server.address);
  await other.send(headOf(server.admin, "GET", "/readyz"));
  assert.equal((await other.answer())?.status, 200);
  const grown = await server.memory() - before;
  for (const reader of readers) reader.close();
  const each = Math.round(grown / READERS / MIB);
  assert.ok(each < 48, `${each} MiB for each stalled reader`);
});
