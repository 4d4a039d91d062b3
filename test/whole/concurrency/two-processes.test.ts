import assert from "node:assert/strict";
import { newSealingKey, parseSealingKeys } from "../../../src/kernel/sealing/sealing-keys.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { type Engine, engines } from "../../support/desk.ts";
import { readLedger, readLedgerOfFile } from "../../support/ledger.ts";
import { PATIENT_POSTGRES } from "../../support/patient-postgres.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

const REQUESTS = 120;
/** Approvals of each request in each process. */
const RIVALS = 4;
const CREDENTIAL = "administrator-of-the-two-processes-test";

interface Pair {
  servers: [ServerProcess, ServerProcess];
  ledger(): ReturnType<typeof readLedger>;
}

async function withPair(engine: Engine, test: (pair: Pair) => Promise<void>): Promise<void> {
  await withFolder(async (dataDir) => {
    const sealing = newSealingKey().trim();
    const url = engine === "postgres" ? await createMigrated() : undefined;
    const environment = {
      KEYDESK_ADMIN_TOKEN: CREDENTIAL,
      ...url
        ? { ...PATIENT_POSTGRES, KEYDESK_DATABASE_URL: url, KEYDESK_SEALING_KEY: sealing }
        : {},
    };
    await using first = await startServerProcess({ dataDir, environment });
    await using second = await startServerProcess({ dataDir, environment });
    const ledger = async () => {
      if (!url) return await readLedgerOfFile(`${dataDir}/keydesk.db`);
      const writer = { thread: false as const, transactions: [] };
      const storage = await openStorage({ url }, parseSealingKeys(sealing), writer);
      try {
        return await readLedger(storage.reader);
      } finally {
        await storage.close();
      }
    };
    await test({ servers: [first, second], ledger });
  });
}

/**
 * What is promised of a pair, in this order: those of an engine have one pair, which takes long to
 * start.
 */
const promises: [promise: string, test: (pair: Pair) => Promise<void>][] = [];

for (const engine of engines) {
  Deno.test({
    name: `${engine}: two processes on one store`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: (t) =>
      withPair(engine, async (pair) => {
        for (const [promise, test] of promises) await t.step(promise, () => test(pair));
      }),
  });
}

function onPair(promise: string, test: (pair: Pair) => Promise<void>): void {
  promises.push([promise, test]);
}

/** How many of these requests have a key. */
function keysOf(ledger: Awaited<ReturnType<typeof readLedger>>, ids: readonly string[]): number {
  return ids.filter((id) => ledger.keysOf.has(id)).length;
}

const PATH = "/api/portal/requests";
const PROCESSED = {
  Status: "Error",
  Message: "Key request has already been processed.",
  Meta: null,
};

async function createMany(server: ServerProcess, count: number): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, async (_, n) => {
    const body = { by_user: `dev-${n % 9}`, for_plan: `plan-${n % 4}` };
    const answer = await server.send("POST", PATH, { body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.Message;
  }));
}

onPair("pages stay whole while both processes create, approve and delete", async (pair) => {
  const WRITERS = 14;
  const EACH = 30;
  const sizeOf = 10;
  const dateOf = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 7_919_000_000 % 6e10);
  let writing = true;
  const kept: string[][] = [];
  const write = async (writer: number) => {
    const own: string[] = [];
    kept.push(own);
    for (let n = 0; n < EACH; n++) {
      const [one, other] = n % 2 === 0 ? pair.servers : pair.servers.toReversed();
      assert.ok(one && other);
      const date_created = dateOf(writer * EACH + n).toISOString();
      const body = { by_user: `dev-${n % 9}`, for_plan: `plan-${n % 4}`, date_created };
      const { body: { Message: id } } = await one.send("POST", PATH, { body });
      own.push(id);
      if (n % 3 === 0) {
        assert.equal((await other.send("PUT", `${PATH}/approve/${id}`)).status, 200);
      }
      if (n % 7 === 0) {
        assert.equal((await other.send("DELETE", `${PATH}/${id}`)).status, 200);
        own.pop();
      }
    }
  };
  const page = async (server: ServerProcess, p: number) => {
    const answer = await server.send("GET", `${PATH}?p=${p}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { Data, Pages }: { Data: { id: string; date_created: string }[]; Pages: number } =
      answer.body;
    assert.ok(Data.length <= sizeOf);
    assert.equal(new Set(Data.map(({ id }) => id)).size, Data.length, "each request once");
    const dates = Data.map(({ date_created }) => date_created);
    assert.deepEqual(dates, dates.toSorted().reverse(), "newest first");
    return { ids: Data.map(({ id }) => id), pages: Pages };
  };
  const read = async (server: ServerProcess) => {
    for (let p = 1; writing;) p = 1 + (p * 7 + 3) % ((await page(server, p)).pages + 1);
  };
  const reading = pair.servers.map(read);
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    .finally(() => writing = false);
  await Promise.all(reading);
  const expected = kept.flat().sort();
  assert.ok(expected.length > 300, "deep enough for the counters to be walked");
  for (const server of pair.servers) {
    const { pages } = await page(server, 1);
    assert.equal(pages, Math.ceil(expected.length / sizeOf));
    const found: string[] = [];
    for (let p = 1; p <= pages; p++) found.push(...(await page(server, p)).ids);
    assert.deepEqual(found.sort(), expected, "every request stands on one page");
  }
  // The counters agree with the rows.
  assert.equal((await pair.ledger()).requests.size, expected.length);
});

onPair("approvals through two processes at once issue one credential each", async (pair) => {
  const ids = await createMany(pair.servers[0], REQUESTS);
  const waits: Record<number, number[]> = { 0: [], 1: [] };
  const outcomes = await Promise.all(
    ids.flatMap((id) =>
      pair.servers.flatMap((server, which) =>
        Array.from({ length: RIVALS }, async () => {
          const started = performance.now();
          const { status, body } = await server.send("PUT", `${PATH}/approve/${id}`);
          waits[which]?.push(performance.now() - started);
          return { id, which, status, body };
        })
      )
    ),
  );

  for (const id of ids) {
    const own = outcomes.filter((outcome) => outcome.id === id);
    // A machine that is too busy answers in time that it does not know.
    const isUnknown = own.some(({ status }) => status === 503);
    const won = own.filter(({ status }) => status === 200).length;
    assert.ok(won === 1 || isUnknown && won === 0, `${id}: ${won}`);
    for (const { body } of own.filter(({ status }) => status !== 200 && status !== 503)) {
      assert.deepEqual(body, PROCESSED);
    }
    if (won === 1) continue;
    // Asked again it was done before, or is done now.
    const { status, body } = await pair.servers[0].send("PUT", `${PATH}/approve/${id}`);
    if (status !== 200) assert.deepEqual(body, PROCESSED);
  }
  const ledger = await pair.ledger();
  assert.equal(keysOf(ledger, ids), REQUESTS);
  assert.equal(ledger.organisations.length, 1);
  const won = [0, 1].map((w) => outcomes.filter((o) => o.which === w && o.status === 200).length);
  const worst = [0, 1].map((w) => Math.round(Math.max(...waits[w] ?? [])));
  console.log(
    `${ids.length} requests, ${outcomes.length} approvals: won ${won}, worst wait ms ${worst}`,
  );
});

onPair("neither of two busy processes keeps the other from writing", async (pair) => {
  // Closed loops: each process has as many writers as the other, all writing as fast as they are
  // answered.
  const WRITERS = 24;
  const EACH = 25;
  const longest = [0, 0];
  const before = (await pair.ledger()).requests.size;
  const started = performance.now();
  const finished = [0, 0];
  await Promise.all(
    pair.servers.flatMap((server, which) =>
      Array.from({ length: WRITERS }, async () => {
        for (let n = 0; n < EACH; n++) {
          const asked = performance.now();
          const body = { by_user: `dev-${n}`, for_plan: "plan" };
          const answer = await server.send("POST", PATH, { body });
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          longest[which] = Math.max(longest[which] ?? 0, performance.now() - asked);
        }
        finished[which] = performance.now() - started;
      })
    ),
  );
  assert.equal((await pair.ledger()).requests.size - before, 2 * WRITERS * EACH);
  console.log(
    `${2 * WRITERS * EACH} creates: longest wait ms ${longest.map(Math.round)}, ` +
      `finished after ms ${finished.map(Math.round)}`,
  );
});

onPair(
  "twins with one Idempotency-Key in two processes get one and the same answer",
  async (pair) => {
    const ids = await createMany(pair.servers[1], 40);
    await Promise.all(ids.map(async (id) => {
      const headers = { "idempotency-key": `twins-of-${id}` };
      const path = `${PATH}/approve/${id}`;
      const answers = await Promise.all(
        [...pair.servers, ...pair.servers].map((server) => server.send("PUT", path, { headers })),
      );
      const [first] = answers;
      assert.equal(first?.status, 200, JSON.stringify(first?.body));
      for (const answer of answers) assert.deepEqual(answer, first);
      const again = await pair.servers[0].send("PUT", path, { headers });
      assert.deepEqual(again, first);
      const other = { headers: { "idempotency-key": `another-key-${id}` } };
      assert.deepEqual((await pair.servers[1].send("PUT", path, other)).body, PROCESSED);
    }));
    assert.equal(keysOf(await pair.ledger(), ids), ids.length);
  },
);

onPair("one Idempotency-Key for two requests at once serves one of them", async (pair) => {
  const ids = await createMany(pair.servers[0], 20);
  for (let n = 0; n < ids.length; n += 2) {
    const headers = { "idempotency-key": `shared-key-number-${n}` };
    const answers = await Promise.all(
      [0, 1].map((i) =>
        pair.servers[i === 0 ? 0 : 1].send("PUT", `${PATH}/approve/${ids[n + i]}`, { headers })
      ),
    );
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 422]);
  }
  assert.equal(keysOf(await pair.ledger(), ids), ids.length / 2);
});
