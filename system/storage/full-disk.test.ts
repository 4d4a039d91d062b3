/**
 * A disk that really is full, and processes that are started on it: what they answer, and that they
 * go on by themselves.
 */
import assert from "node:assert/strict";
import { effort, shortOr } from "../../test/support/effort.ts";
import { eventually } from "../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { RESERVE_BYTES } from "../../src/storage/engines/sqlite-reserve.ts";
import { keydeskProcess } from "../../test/support/command.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";

const ADMINISTRATOR = "administrator-of-the-disk-that-is-full";
const REQUESTS = "/api/portal/requests";
const environment = { KEYDESK_ADMIN_TOKEN: ADMINISTRATOR };

/** How often each of the two is done: a disk is full by chance at another place each time. */
const ROUNDS = shortOr(1, 5);

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test(`a start on a full disk after ${signal}: verify is ready, the rest is 503 SQLITE_FULL, and all returns by itself`, async () => {
    await using disk = await mountSmallDisk(96);
    const dataDir = `${disk.folder}/data`;
    const kept: string[] = [];
    let keys: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      {
        await using server = await startServerProcess({ dataDir, environment });
        keys = await issue(server, 3, `plan-${round}`);
        for (let n = 0; n < 30; n++) kept.push((await create(server)).body.Message);
        await fillUnder(server, disk, kept);
        assert.equal(await statusOf(server, "/readyz"), 503, "at once");
        server.kill(signal);
        await server.ended;
      }
      // What the end of the process left.
      await disk.fill();
      await using server = await startServerProcess({ dataDir, environment });
      inLongForm(server.readyMs, 3000);
      assert.equal(await statusOf(server, "/readyz?for=verify"), 200);
      for (const key of keys) assert.equal(await isValid(server, key), true);
      const { status, body } = await server.send("GET", "/readyz");
      assert.equal(status, 503);
      assert.match(body.Errors.join("; "), /^writes_fail since /);
      const { body: { problems } } = await server.send("GET", "/v1/server");
      assert.deepEqual(
        problems.map(({ name, reason, stops }: Record<string, string>) => [name, reason, stops]),
        [["writes_fail", "SQLITE_FULL", "writes"]],
      );
      for (const id of kept) assert.equal(await statusOf(server, `${REQUESTS}/${id}`), 200, id);
      await refusedForRoom(server);

      await disk.clear();
      const cleared = performance.now();
      await eventually("there is room", async () => (await create(server)).status === 200);
      assert.equal(await statusOf(server, "/readyz"), 200);
      inLongForm(performance.now() - cleared, 2000);
    }
  });
}

Deno.test("a full disk: keys and access tokens are revoked, and a copy is made, with the reserve", async () => {
  await using disk = await mountSmallDisk(96);
  const dataDir = `${disk.folder}/data`;
  await withFolder(async (elsewhere) => {
    const settings = { KEYDESK_DATA_DIR: dataDir };
    await using server = await startServerProcess({ dataDir, environment });
    const keys = await issue(server, 40, "plan");
    const { body: { data: [person] } } = await server.send("GET", "/v1/people");
    const made = await server.send("POST", `/v1/people/${person.id}/access-tokens`, {
      body: { name: "leaked" },
    });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await fillUnder(server, disk, []);
    // What fills a disk goes on: it takes whatever the desk gave up for others.
    await disk.fill();
    const { body: { data: items } } = await server.send("GET", "/v1/keys?limit=100");
    const ids = items.map(({ key_id }: { key_id: string }) => key_id);
    assert.equal(ids.length, keys.length);
    for (const id of ids) {
      const revoked = await server.send("POST", `/v1/keys/${id}/revoke`, {
        body: { reason: "leaked" },
      });
      assert.equal(revoked.status, 200, JSON.stringify(revoked.body));
    }
    for (const key of keys) assert.equal(await isValid(server, key), false);
    const gone = await server.send("DELETE", `/v1/access-tokens/${made.body.id}`);
    assert.ok(gone.status < 300, JSON.stringify(gone.body));
    // The reserve is for nothing else.
    await refusedForRoom(server);
    assert.equal(await statusOf(server, "/readyz"), 503);
    const { size } = await Deno.stat(`${dataDir}/keydesk.db-reserve`);
    assert.ok(size > RESERVE_BYTES / 2, `${size}: what was not needed is kept`);

    const copied = await keydeskProcess(["backup", `${elsewhere}/copy.db`], settings);
    assert.equal(copied.code, 0, copied.stderr);
    assert.doesNotMatch(copied.stderr, /does not know of it/);
    server.kill("SIGKILL");
    await server.ended;
    const alone = await keydeskProcess(["backup", `${elsewhere}/alone.db`], settings);
    assert.equal(alone.code, 0, alone.stderr);
  });
});

Deno.test("a disk that is full before a start: its reserve makes the start", async () => {
  await using disk = await mountSmallDisk(64);
  const dataDir = `${disk.folder}/data`;
  {
    await using server = await startServerProcess({ dataDir, environment });
    await create(server);
    server.kill("SIGTERM");
    await server.ended;
  }
  // Neither log nor shared memory stands there, and nothing has room for them.
  await disk.fill();
  await using server = await startServerProcess({ dataDir, environment });
  assert.equal(await statusOf(server, "/readyz?for=verify"), 200);
  assert.equal(await statusOf(server, "/readyz"), 503);
  await disk.clear();
  await eventually("there is room", async () => (await create(server)).status === 200);
});

/** A change is refused, and its caller is told why. */
async function refusedForRoom(server: ServerProcess): Promise<void> {
  const { status, body } = await create(server);
  assert.equal(status, 503);
  assert.match(body.Message, /^Nothing was done: .* full \(SQLITE_FULL\)\.$/);
}

/** What it took, on a machine that does nothing else. */
function inLongForm(tookMs: number, mostMs: number): void {
  if (effort > 1) assert.ok(tookMs <= mostMs, `${tookMs} ms`);
}

/** Fills the disk until a change is refused: what a change may take besides was given up then. */
async function fillUnder(server: ServerProcess, disk: SmallDisk, kept: string[]): Promise<void> {
  await disk.fill();
  for (;;) {
    const { status, body } = await create(server);
    if (status !== 200) return assert.equal(status, 503);
    kept.push(body.Message);
  }
}

const create = (server: ServerProcess) =>
  server.send("POST", REQUESTS, {
    body: { by_user: "d", for_plan: "p", fields: { text: "x".repeat(20_000) } },
  });

async function issue(server: ServerProcess, count: number, plan: string): Promise<string[]> {
  const body = { _id: plan, id: plan, name: plan, active: true };
  assert.equal((await server.send("POST", "/api/portal/policies", { body })).status, 200);
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const { body: { Message } } = await server.send("POST", REQUESTS, {
      body: { by_user: "d", for_plan: plan },
    });
    const approved = await server.send("PUT", `${REQUESTS}/approve/${Message}`);
    keys.push(approved.body.RawKey);
  }
  return keys;
}

async function isValid(server: ServerProcess, key: string): Promise<boolean> {
  return (await server.send("POST", "/v1/keys/verify", { body: { key } })).body.valid;
}

const statusOf = async (server: ServerProcess, path: string) =>
  (await server.send("GET", path)).status;
