/** A server that is told to stop ends in its time, whatever its clients do, and loses nothing. */
// alone: clock
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { readLedgerOfFile } from "../../support/ledger.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { slowness } from "../../support/slowness.ts";

const PATH = "/api/portal/requests";
/** What the server promises of a stop. */
const LIMIT_MS = 10_000;
/** Less than what it gives answers that clients are slow to take: for those who only hold it up. */
const IDLE_LIMIT_MS = 4_500;

/**
 * Tells the server to stop and gives the time that it took; fails unless it ended with 0 in time,
 * which is longer on a machine that is slower.
 */
async function stop(server: ServerProcess, limitMs = LIMIT_MS): Promise<number> {
  const before = slowness();
  const started = performance.now();
  server.kill("SIGTERM");
  // So that a server which never ends fails this test instead of holding it.
  const giveUp = setTimeout(() => server.kill("SIGKILL"), 10 * LIMIT_MS);
  const { code, signal } = await server.ended;
  clearTimeout(giveUp);
  const took = Math.round(performance.now() - started);
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.output().slice(-2000));
  const slower = Math.max(before, slowness());
  assert.ok(took < limitMs * slower, `the stop took ${took} ms, ${slower} times slower`);
  return took;
}

function onServer(
  promise: string,
  test: (server: ServerProcess, dataDir: string) => Promise<void>,
): void {
  Deno.test(promise, () =>
    withFolder(async (dataDir) => {
      await using server = await startServerProcess({ dataDir });
      await test(server, dataDir);
    }));
}

async function create(server: ServerProcess, n: number, text = ""): Promise<string> {
  const body = { by_user: "dev", for_plan: "plan", fields: { n: `${n}`, text } };
  const answer = await server.send("POST", PATH, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.Message;
}

/** Opens a connection and writes on it. */
async function connectAndWrite(server: ServerProcess, text: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: server.hostname, port: server.port });
  await connection.write(new TextEncoder().encode(text));
  return connection;
}

const head = (server: ServerProcess, line: string, ...more: string[]) =>
  [`${line} HTTP/1.1`, "host: desk", `authorization: ${server.credential}`, ...more, "", ""]
    .join("\r\n");

/**
 * True when nobody listens at the server's address any more. The close itself resets who waits to
 * be accepted.
 */
async function refuses(server: ServerProcess): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: server.hostname, port: server.port })).close();
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionReset) return false;
    assert.ok(error instanceof Deno.errors.ConnectionRefused, String(error));
    return true;
  }
}

onServer("a stop answers what runs and takes nothing new", async (server, dataDir) => {
  // Another process holds the store, so that the creates are under way for certain.
  const holder = new DatabaseSync(`${dataDir}/keydesk.db`);
  holder.exec("begin immediate");
  // Connections that the creates then find open: one that is yet to be made would be refused with
  // reason.
  await Promise.all(Array.from({ length: 100 }, () => server.send("GET", "/healthz")));
  const running = Promise.all(Array.from({ length: 100 }, (_, n) => create(server, n)));
  running.catch(() => {});
  // Answered on this one thread after all that came before them.
  for (let turn = 0; turn < 50; turn++) {
    assert.equal((await server.send("GET", "/healthz")).status, 200);
  }
  const stopped = stop(server);
  // When something below fails, that is what the test says, and not what the server then ended
  // with.
  stopped.catch(() => {});
  while (!await refuses(server));
  holder.exec("rollback");
  holder.close();
  const ids = await running;
  console.log(`stopped after ${await stopped} ms with ${ids.length} creates under way`);
  const { requests } = await readLedgerOfFile(`${dataDir}/keydesk.db`);
  assert.deepEqual([...requests.keys()].sort(), ids.sort());
});

onServer("a stop does not wait for the other half of a request", async (server) => {
  const post = (framing: string) => head(server, `POST ${PATH}`, framing);
  const connections = [
    await connectAndWrite(server, `${post("content-length: 1000")}{"by_user":`),
    await connectAndWrite(server, `${post("transfer-encoding: chunked")}5\r\n{"by_`),
    await connectAndWrite(server, `POST ${PATH} HTTP/1.1\r\nhost: de`),
  ];
  await create(server, 0);
  console.log(`stopped after ${await stop(server, IDLE_LIMIT_MS)} ms with half requests`);
  connections.forEach((connection) => connection.close());
});

onServer("a stop does not wait for idle connections", async (server) => {
  const connection = await connectAndWrite(server, head(server, "GET /healthz"));
  const buffer = new Uint8Array(4096);
  const length = await connection.read(buffer) ?? 0;
  assert.match(new TextDecoder().decode(buffer.subarray(0, length)), /^HTTP\/1\.1 200/);
  const silent = await connectAndWrite(server, "");
  console.log(`stopped after ${await stop(server, IDLE_LIMIT_MS)} ms with idle connections`);
  connection.close();
  silent.close();
});

onServer("a stop does not wait for a client that reads a long list slowly", async (server) => {
  // More than the buffers on the way can hold.
  const text = "x".repeat(100_000);
  for (let n = 0; n < 300; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => create(server, n + i, text)));
  }
  const slow = await connectAndWrite(server, head(server, `GET ${PATH}`));
  const buffer = new Uint8Array(1024);
  assert.ok(await slow.read(buffer));
  console.log(`stopped after ${await stop(server)} ms with a slow reader`);
  slow.close();
});

onServer(
  "a stop does not wait for another process that holds the store",
  async (server, dataDir) => {
    const holder = new DatabaseSync(`${dataDir}/keydesk.db`);
    holder.exec("begin immediate");
    // More than one group: each would wait for the lock in its turn.
    const running = Array.from({ length: 300 }, (_, n) => create(server, n));
    const settled = Promise.allSettled(running);
    for (let turn = 0; turn < 50; turn++) await server.send("GET", "/healthz");
    try {
      console.log(`stopped after ${await stop(server)} ms with the store held elsewhere`);
    } finally {
      holder.exec("rollback");
      holder.close();
    }
    // Nothing was acknowledged and nothing is there.
    assert.deepEqual([...new Set((await settled).map((one) => one.status))], ["rejected"]);
    assert.equal((await readLedgerOfFile(`${dataDir}/keydesk.db`)).requests.size, 0);
  },
);

Deno.test("a second signal does not spoil the stop", () =>
  withFolder(async (dataDir) => {
    await using server = await startServerProcess({ dataDir });
    await create(server, 0);
    server.kill("SIGINT");
    await stop(server);
  }));

Deno.test("a server gets ready on an empty and on a filled folder", () =>
  withFolder(async (dataDir) => {
    const readyMs: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      await using server = await startServerProcess({ dataDir });
      assert.equal((await server.send("GET", "/readyz")).status, 200);
      readyMs.push(Math.round(server.readyMs));
      await stop(server);
    }
    console.log(`ready after ms: ${readyMs.join(", ")} (the first on an empty folder)`);
  }));
