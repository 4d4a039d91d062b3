/** What a server holds for clients that ask and read nothing. */
import assert from "node:assert/strict";
import { shortOr } from "../support/effort.ts";
import { eventually } from "../support/eventually.ts";
import { headOf, RawConnection, startServerProcess } from "../support/raw-http.ts";

const MOST_MORE = 50 * 1024 * 1024;
/** What may be left of it: room that the engine keeps for whatever comes next. */
const GIVEN_BACK = 30 * 1024 * 1024;

/** Connections, and what each of them asks for ahead. */
const DRILLS = [[4, 200], [10, 100], [50, 100], [Math.min(1000, shortOr(200, 1000)), 1]] as const;

Deno.test("wire: answers that nobody reads cost no memory, however many are asked for, and it comes back", async () => {
  await using server = await startServerProcess();
  const call = headOf(server.admin, "GET", "/openapi.json");
  for (let n = 0; n < 20; n++) {
    using connection = await RawConnection.open(server.address);
    await connection.send(call);
    assert.equal((await connection.answer())?.status, 200);
  }
  const before = await server.memory();
  for (const [connections, ahead] of DRILLS) {
    const unread = await Promise.all(Array.from({ length: connections }, async () => {
      const connection = await RawConnection.open(server.address);
      await connection.send(call.repeat(ahead));
      return connection;
    }));
    // Each has got its first bytes, so that everything that is made for it is there.
    for (const connection of unread) assert.ok(await connection.sip() > 0);
    using other = await RawConnection.open(server.address);
    await other.send(headOf(server.admin, "GET", "/livez"));
    assert.equal((await other.answer())?.status, 200);
    const grown = await server.memory() - before;
    for (const connection of unread) connection.close();
    assert.ok(grown < MOST_MORE, `${grown} bytes more for ${connections} of ${ahead}`);
  }
  await eventually(
    "the memory to come back",
    async () => await server.memory() - before < GIVEN_BACK,
  );
});
