import assert from "node:assert/strict";
import { shortOr } from "../../support/effort.ts";
import { readLedgerOfFile } from "../../support/ledger.ts";
import {
  serverCommand,
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../support/processes.ts";
import { Random } from "../../support/random.ts";
import { CrashClient } from "./client.ts";

const KILLS = shortOr(3, 28);
const CLIENTS = 16;
const SEED = Number(Deno.env.get("CRASH_SEED") ?? "20260101");
const PATH = "/api/portal/requests";

Deno.test("a server killed at any moment has lost, doubled and halved nothing", async () => {
  await withFolder(async (dataDir) => {
    const started = performance.now();
    const random = new Random(SEED);
    const clients = Array.from(
      { length: CLIENTS },
      (_, n) => new CrashClient(`c${n}`, new Random(SEED + n + 1)),
    );
    for (let kill = 0; kill < KILLS; kill++) await loadAndKill(dataDir, clients, random);

    await using server = await startServerProcess({ dataDir });
    await Promise.all(clients.map((client) => client.settle(server)));
    await assertKept(server, dataDir, clients);

    const sum = (of: (client: CrashClient) => number) => clients.reduce((n, c) => n + of(c), 0);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(
      `seed ${SEED}: ${KILLS} kills, ${sum((c) => c.acknowledged)} acknowledged, ` +
        `${sum((c) => [...c.known.values()].filter((k) => k.key).length)} approved, ` +
        `${sum((c) => c.replayed)} lost answers given again, nothing missing; ${seconds} s`,
    );
  });
});

/** Half of the kills strike right behind an acknowledgement, half at a moment of the clock. */
async function loadAndKill(dataDir: string, clients: readonly CrashClient[], random: Random) {
  const server = await startServerProcess({ dataDir });
  const byCount = random.next() < 0.5;
  let left = byCount ? 1 + random.below(300) : Infinity;
  const timer = setTimeout(() => server.kill("SIGKILL"), byCount ? 20_000 : random.below(700));
  const onAcknowledged = () => {
    if (--left === 0) server.kill("SIGKILL");
  };
  try {
    await Promise.all(clients.map((client) => client.work(server, onAcknowledged)));
    const { signal } = await server.ended;
    assert.equal(signal, "SIGKILL", server.output());
  } finally {
    clearTimeout(timer);
    await server[Symbol.asyncDispose]();
  }
}

/** Compares the store with what the clients were told. */
async function assertKept(
  server: ServerProcess,
  dataDir: string,
  clients: readonly CrashClient[],
): Promise<void> {
  const ledger = await readLedgerOfFile(`${dataDir}/keydesk.db`);
  for (const client of clients) {
    for (const [id, { body, key, deleted }] of client.known) {
      const request = ledger.requests.get(id);
      const keys = ledger.keysOf.get(id) ?? [];
      assert.equal(request === undefined, deleted, `${id} deleted: ${deleted}`);
      if (key === undefined) assert.deepEqual(keys, []);
      else if (key === "unseen") assert.equal(keys.length, 1);
      else assert.deepEqual(keys, [key]);
      if (!request) continue;
      const stored = JSON.parse(request.text);
      const { by_user, for_plan, fields, version } = stored;
      assert.deepEqual({ by_user, for_plan, fields, version }, body);
      assert.equal(request.state, key === undefined ? "pending" : "issued");
    }
  }
  const known = new Set(clients.flatMap((client) => [...client.known.keys()]));
  const sent = new Set(clients.flatMap((client) => [...client.markers]));
  const stored = [...ledger.requests].map(([id, { text }]) => ({
    id,
    marker: JSON.parse(text).fields.marker,
  }));
  assert.equal(new Set(stored.map((s) => s.marker)).size, stored.length, "created twice");
  for (const { marker } of stored) assert.ok(sent.has(marker), `${marker} was never sent`);
  // Of creates whose answers were lost there is at most one for each client and kill.
  const unknown = stored.filter(({ id }) => !known.has(id)).length;
  assert.ok(unknown <= CLIENTS * KILLS, `${unknown} requests that nobody knows`);
  const list = await server.send("GET", PATH);
  assert.equal(list.body.Data.length, stored.length);
}

Deno.test("an approval whose answer is lost to a kill is given again by its Idempotency-Key", async () => {
  await withFolder(async (dataDir) => {
    let server = await startServerProcess({ dataDir });
    try {
      for (let round = 0; round < 5; round++) {
        const body = { by_user: "dev", for_plan: `plan-${round}` };
        const { body: { Message: id } } = await server.send("POST", PATH, { body });
        const headers = { "idempotency-key": `answer-lost-in-round-${round}` };
        const lost = server.send("PUT", `${PATH}/approve/${id}`, { headers }).catch(() => "lost");
        while (!(await server.send("GET", `${PATH}/${id}`)).body.approved);
        await server[Symbol.asyncDispose]();
        await lost;
        server = await startServerProcess({ dataDir });
        const again = await server.send("PUT", `${PATH}/approve/${id}`, { headers });
        assert.equal(again.status, 200);
        assert.deepEqual(await server.send("PUT", `${PATH}/approve/${id}`, { headers }), again);
        if (await lost !== "lost") assert.deepEqual(await lost, again);
      }
      assert.equal((await readLedgerOfFile(`${dataDir}/keydesk.db`)).keysOf.size, 5);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});

Deno.test("a first start that is killed at any moment leaves a desk that the next start opens", async () => {
  const random = new Random(SEED);
  for (let round = 0; round < 3; round++) {
    await withFolder(async (dataDir) => {
      for (let kill = 0; kill < 5; kill++) {
        const child = serverCommand({ dataDir }).spawn();
        const timer = setTimeout(() => child.kill("SIGKILL"), 60 + random.below(400));
        await Promise.all([child.status, child.stdout.cancel(), child.stderr.cancel()]);
        clearTimeout(timer);
      }
      await using server = await startServerProcess({ dataDir });
      const list = await server.send("GET", PATH);
      assert.deepEqual(list, { status: 200, body: { Data: [], Pages: 0 } });
      const { organisations } = await readLedgerOfFile(`${dataDir}/keydesk.db`);
      assert.equal(organisations.length, 1);
    });
  }
});
