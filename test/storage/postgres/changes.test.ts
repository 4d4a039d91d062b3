/** By one question PostgreSQL proves that nobody has committed since something was read. */
import assert from "node:assert/strict";
import pg from "pg";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { PostgresChanges } from "../../../src/storage/engines/postgres-changes.ts";
import { clientOptions } from "../../../src/storage/engines/postgres-client.ts";
import { defaultLimits } from "../../../src/storage/engines/postgres-limits.ts";
import { PostgresServers } from "../../../src/storage/engines/postgres-servers.ts";
import { parsePostgresUrl } from "../../../src/storage/engines/postgres-url.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { create, pathOf, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { sharedPostgres, startPostgres } from "../../support/postgres.ts";

/** Somebody else's connections to a database, and how this process hears of what they commit. */
interface Watched extends AsyncDisposable {
  changes: PostgresChanges;
  url: string;
  connect(): Promise<pg.Client>;
}

async function watched(url: string): Promise<Watched> {
  const channel = parsePostgresUrl(url);
  const optionsOf = await clientOptions(channel, defaultLimits);
  const servers = new PostgresServers(channel.servers, optionsOf, defaultLimits, () => {});
  const changes = new PostgresChanges(servers);
  const clients: pg.Client[] = [];
  return {
    changes,
    url,
    connect: async () => {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => {});
      await client.connect();
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client.end();
      await changes.close();
      await servers.close();
    },
  };
}

/** A mark of now: the first question makes it known. */
async function markOf(changes: PostgresChanges) {
  await changes.holds(changes.mark());
  return changes.mark();
}

/** The driver's, of a connection that is none. */
const connection = { stream: { writableCorked: 0, cork: () => {}, uncork: () => {} } };

function onServer(name: string, test: () => Promise<void>): void {
  Deno.test({ name: `postgres: ${name}`, sanitizeOps: false, sanitizeResources: false, fn: test });
}

onServer("what was read holds until anybody has committed, and not before they have", async () => {
  // A server of its own: whoever commits anywhere on it is heard of.
  await using server = await startPostgres({ settings: { autovacuum: false } });
  await using here = await watched(await server.createDatabase());
  const { changes } = here;
  const other = await here.connect();
  await other.query("create table t (n int)");
  assert.equal(await changes.holds({ changes: 0, version: undefined }), false, "nothing was read");
  const atFirst = await markOf(changes);
  assert.equal(await changes.holds(atFirst), true);
  await other.query("begin");
  await other.query("insert into t values (1)");
  assert.equal(await changes.holds(atFirst), true, "nobody sees it yet");
  const meanwhile = await markOf(changes);
  const third = await here.connect();
  await third.query("insert into t values (2)");
  assert.equal(await changes.holds(atFirst), false, "another one has committed");
  assert.equal(await changes.holds(meanwhile), false);
  const before = await markOf(changes);
  await other.query("commit");
  assert.equal(await changes.holds(before), false, "one that began before the mark has committed");
  const after = await markOf(changes);
  assert.equal(await changes.holds(after), true);
  await third.query("truncate t");
  assert.equal(await changes.holds(after), false);
});

onServer("what was read before the connection was lost never holds again", async () => {
  await using here = await watched(await (await sharedPostgres()).createDatabase());
  const { changes } = here;
  const mark = await markOf(changes);
  const [pid] = String(mark.version).split(" ");
  const other = await here.connect();
  await other.query("select pg_terminate_backend($1)", [Number(pid)]);
  assert.equal(await changes.holds(mark), false);
  const next = await markOf(changes);
  assert.notEqual(next.changes, mark.changes);
  // Should another process of the server ever be called the same and show the same.
  assert.equal(await changes.holds({ ...mark, version: next.version }), false);
});

onServer("who asks at the same time shares a question, sent after they came", async () => {
  let [asked, shown] = [0, "1"];
  const answers: (() => void)[] = [];
  const client = {
    connection,
    query: ({ text }: { text: string }) => {
      if (text.includes("version()")) {
        return Promise.resolve({ rows: [{ version: "PostgreSQL 18.4 on x86_64" }], rowCount: 1 });
      }
      asked++;
      const rows = [{ state: shown }];
      return new Promise((resolve) => answers.push(() => resolve({ rows, rowCount: 1 })));
    },
  };
  const nothing = () => {};
  const named = () => true;
  const ends = { release: nothing, discard: nothing };
  const lease = { client, named, asking: nothing, answered: nothing, ...ends };
  // as: no more of it is asked for.
  const servers = { lease: () => Promise.resolve(lease), failed: nothing } as never;
  let elapsed = 0;
  const changes = new PostgresChanges(servers, () => elapsed);
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  const mark = { changes: 0, version: "1" };
  const first = changes.holds(mark);
  await turn();
  assert.equal(asked, 1);
  answers.shift()?.();
  assert.equal(await first, true);
  const second = changes.holds(mark);
  await turn();
  shown = "2";
  // None of them is told what was asked before they came.
  const together = Array.from({ length: 9 }, () => changes.holds(mark));
  answers.shift()?.();
  assert.equal(await second, true);
  await turn();
  answers.shift()?.();
  assert.deepEqual(await Promise.all(together), Array(9).fill(false));
  assert.equal(asked, 3);
  // Where the answer is far away, who comes later does not wait for it.
  const waiting = changes.holds(mark);
  elapsed += 5;
  const later = changes.holds(mark);
  await turn();
  assert.equal(asked, 5);
  for (const answer of answers) answer();
  await Promise.all([waiting, later]);
});

onServer(
  "a database that is called otherwise proves nothing, and its connection is given back",
  async () => {
    for (const version of ["PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64", "CockroachDB CCL v24.1"]) {
      const rows = [{ version, state: "1" }];
      let [given, back] = [0, 0];
      const nothing = () => {};
      const lease = {
        client: { connection, query: () => Promise.resolve({ rows, rowCount: 1 }) },
        named: () => true,
        asking: nothing,
        answered: nothing,
        discard: nothing,
        release: () => back++,
      };
      const lend = () => (given++, Promise.resolve(lease));
      // as: no more of it is asked for.
      const changes = new PostgresChanges({ lease: lend, failed: nothing } as never);
      for (let i = 0; i < 3; i++) {
        assert.equal(await changes.holds(changes.mark()), false);
        assert.equal(await changes.holds({ changes: 0, version: "1" }), false);
      }
      assert.deepEqual([given, back], [1, 1], version);
    }
  },
);

onServer("a change through one node is seen by the next read through another, always", async () => {
  await using server = await startPostgres({ settings: { autovacuum: false } });
  const environment = {
    KEYDESK_DATABASE_URL: await server.createDatabase(),
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  };
  await using desk = await openTestDesk("sqlite", { environment });
  await using other = await openTestDesk("sqlite", {
    environment: { ...environment, KEYDESK_ADMIN_TOKEN: desk.admin },
  });
  const path = pathOf(await create(desk, smallRequest()));
  const made = countMade(other);
  for (let turn = 0; turn < 60; turn++) {
    const body = { ...smallRequest(), by_user: `developer-${turn}` };
    assert.equal((await desk.send("PUT", path, { body })).status, 200);
    for (const where of [path, `${REQUESTS}?p=1`]) {
      // Several times, so that it is kept for the next turn.
      for (let again = 0; again < 4; again++) {
        const answer = await other.send("GET", where, { credential: desk.admin });
        assert.match(await answer.text(), new RegExp(`"by_user":"developer-${turn}"`), `${turn}`);
      }
    }
  }
  await eventually("an answer is given from memory", async () => {
    const before = made();
    await (await other.send("GET", path, { credential: desk.admin })).text();
    return made() === before;
  });
});

/** Counts the answers that a desk makes anew. */
function countMade({ app: { ctx: { readCache } } }: TestDesk): () => number {
  let made = 0;
  const get: typeof readCache.get = (name, changes, make, moment) =>
    Object.getPrototypeOf(readCache).get.call(readCache, name, changes, () => {
      made++;
      return make();
    }, moment);
  Object.defineProperty(readCache, "get", { value: get, configurable: true });
  return () => made;
}
