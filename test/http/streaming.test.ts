import assert from "node:assert/strict";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { eventually } from "../support/eventually.ts";
import {
  headOf,
  RawConnection,
  type ServerProcess,
  startServerProcess,
} from "../support/raw-http.ts";

const LIST = "/api/portal/requests";
const REQUESTS = 4000;
const READERS = 50;
const BODY = JSON.stringify({ ...fullKeyRequest, certificate: "c".repeat(2000) });
const LENGTH = `Content-Length: ${BODY.length}`;

Deno.test("wire: readers that leave or stop reading cost the server no memory and nobody's time", async () => {
  // One developer sends them all.
  await using server = await startServerProcess({ KEYDESK_PENDING_PER_DEVELOPER: "0" });
  await fill(server);
  // Once to the end, so that what comes next is compared with a server that has worked.
  const whole = await list(server);
  assert.equal(JSON.parse(whole).Data.length, REQUESTS);
  // Answers that were held whole would need more than twice this.
  const bound = READERS * whole.length * 0.45;
  const before = await server.memory();

  const slow = await Promise.all(Array.from({ length: READERS }, () => begin(server)));
  // Answered while nobody reads: no caller waits for them.
  await health(server);
  const grown = await server.memory() - before;
  assert.ok(grown < bound, `${grown} bytes more for ${READERS} slow readers`);

  for (const reader of slow) reader.close();
  // Everybody again, leaving at once: what they left must not pile up.
  for (let round = 0; round < 3; round++) {
    const leaving = await Promise.all(Array.from({ length: READERS }, () => begin(server)));
    for (const reader of leaving) reader.close();
  }
  assert.equal(await list(server), whole);
  await eventually(
    "the memory of the readers that left",
    async () => await server.memory() - before < bound,
  );

  await server.stop();
  const bad = server.log.filter(({ level }) => level === "error" || level === "fatal");
  assert.deepEqual(bad, []);
});

async function fill(server: ServerProcess): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, async () => {
    for (let i = 0; i < REQUESTS / 20; i++) {
      using connection = await RawConnection.open(server.address);
      await connection.send(headOf(server.admin, "POST", LIST, LENGTH), BODY);
      assert.equal((await connection.answer())?.status, 200);
    }
  }));
}

/** Asks for everything, takes the first bytes, and then reads no more. */
async function begin(server: ServerProcess): Promise<RawConnection> {
  const connection = await RawConnection.open(server.address);
  await connection.send(headOf(server.admin, "GET", LIST));
  assert.ok(await connection.sip() > 0);
  return connection;
}

async function list(server: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.address.port}${LIST}`, {
    headers: { authorization: server.admin },
  });
  assert.equal(response.status, 200);
  return await response.text();
}

async function health(server: ServerProcess): Promise<void> {
  using connection = await RawConnection.open(server.address);
  await connection.send(headOf(server.admin, "GET", `${LIST}?p=1`));
  assert.equal((await connection.answer())?.status, 200);
}
