/**
 * A store whose pages are damaged: 500 for whatever meets the damage, what stands elsewhere is
 * read, the process stays.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { findings } from "../support/damage.ts";
import { openTestDesk, type TestDesk } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import { create, pathOf, REQUESTS, smallRequest } from "../support/key-requests.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { withSecond } from "../support/verification.ts";

Deno.test("sqlite: a damaged file answers 500 store_damaged, and the process stays", async () => {
  await using desk = await openTestDesk("sqlite");
  const id = await create(desk, smallRequest());
  for (let n = 0; n < 200; n++) await create(desk, smallRequest({ version: `v${n}` }));
  const file = desk.config.databaseFile;
  // Into the file itself, so that the write-ahead log hides nothing.
  const { DatabaseSync } = await import("node:sqlite");
  const checkpoint = new DatabaseSync(file);
  checkpoint.exec("pragma wal_checkpoint(truncate)");
  checkpoint.close();
  using damaged = await Deno.open(file, { write: true });
  const { size } = await damaged.stat();
  await damaged.seek(2 * 4096, Deno.SeekMode.Start);
  await damaged.write(new Uint8Array(size - 2 * 4096).fill(0xa5));

  const calls: [string, string, unknown?][] = [
    ["GET", pathOf(id)],
    ["GET", `${REQUESTS}?p=1`],
    ["POST", REQUESTS, smallRequest()],
    ["UPDATE", pathOf(id), smallRequest()],
    ["DELETE", pathOf(id)],
    ["GET", "/v1/keys"],
  ];
  for (const [method, path, body] of calls) {
    const answer = await desk.send(method, path, { body });
    const text = await answer.text();
    assert.equal(answer.status, 500, `${method} ${path}: ${answer.status} ${text}`);
    assert.equal(answer.headers.get("x-keydesk-error"), "store_damaged");
    assert.equal(answer.headers.get("retry-after"), null, "trying again does not help");
    assert.doesNotMatch(text, /malformed|sqlite/i, "the caller learns nothing of the file");
  }
  assert.equal((await desk.send("GET", "/healthz")).status, 200);
  assert.equal((await desk.send("GET", "/livez")).status, 200);
  assert.match(desk.logLines.join(""), /malformed/, "the log tells the reason");
  const problems = desk.app.ctx.problems.current();
  assert.deepEqual(problems.map(({ name }) => name), ["store_damaged"]);
});

Deno.test("sqlite: one damaged page in the middle of a table fails who reads it, and nobody else", async () => {
  await using desk = await openTestDesk("sqlite");
  const ids: string[] = [];
  for (let n = 0; n < 300; n++) {
    const use_case = `${n}-`.padEnd(500, "x");
    ids.push(await create(desk, smallRequest({ fields: { use_case } })));
  }
  const file = desk.config.databaseFile;
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file);
  database.exec("pragma wal_checkpoint(truncate)");
  const { rootpage } = database.prepare(
    "select rootpage from sqlite_master where type = 'table' and name = 'key_requests'",
  ).get() as { rootpage: number };
  const { page_size } = database.prepare("pragma page_size").get() as { page_size: number };
  database.close();
  const page = await leafOf(file, rootpage, page_size);
  const whole = (await Deno.readFile(file)).slice((page - 1) * page_size, page * page_size);
  using damaged = await Deno.open(file, { write: true });
  await damaged.seek((page - 1) * page_size, Deno.SeekMode.Start);
  await damaged.write(new Uint8Array(page_size).fill(0xa5));

  // A reader of its own: nothing of the page is in memory.
  await withSecond(desk, async ({ app, admin }) => {
    const statuses = new Map<number, number>();
    for (const id of ids) {
      const headers = { authorization: admin };
      const answer = await app.fetch(new Request(`http://desk.test${pathOf(id)}`, { headers }));
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 500) {
        assert.equal(answer.headers.get("x-keydesk-error"), "store_damaged");
      }
      await answer.body?.cancel();
    }
    assert.deepEqual([...statuses.keys()].sort(), [200, 500]);
    assert.ok((statuses.get(200) ?? 0) > (statuses.get(500) ?? 0), JSON.stringify([...statuses]));
    // What stands elsewhere is written too.
    const body = JSON.stringify({ name: "after the damage", permissions: ["verify"] });
    const headers = { authorization: admin };
    const person = await app.fetch(
      new Request("http://desk.test/v1/people", { method: "POST", headers, body }),
    );
    assert.equal(person.status, 200, await person.text());
    const isProblem = () => app.ctx.problems.current().some(({ name }) => name === "store_damaged");
    await app.ctx.damages.refresh();
    assert.ok(isProblem());
    await damaged.seek((page - 1) * page_size, Deno.SeekMode.Start);
    await damaged.write(whole);
    // A commit of another connection has the reader forget the page.
    await create(desk, smallRequest());
    await app.ctx.damages.refresh();
    assert.ok(!isProblem(), "what can be read again is not damaged for ever");
    await damaged.seek((page - 1) * page_size, Deno.SeekMode.Start);
    await damaged.write(new Uint8Array(page_size).fill(0xa5));
  });
  const found = (await findings(desk)).filter(({ result: verdict }) => verdict === "fail");
  assert.ok(found.some(({ check, advice }) => check === "structure" && advice));
});

Deno.test({
  name: "postgres: one damaged page in the middle of a table fails who needs it, and nobody else",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startPostgres({ settings: { enable_seqscan: false } });
    const url = await server.createDatabase();
    const environment = { KEYDESK_DATABASE_URL: url, KEYDESK_SEALING_KEY: newSealingKey().trim() };
    await using desk = await openTestDesk("postgres", { environment });
    const ids: string[] = [];
    for (let n = 0; n < 150; n++) {
      const use_case = `${n}-`.padEnd(500, "x");
      ids.push(await create(desk, smallRequest({ fields: { use_case } })));
    }
    await damageMiddlePage(server, url, "key_requests");

    const damaged: string[] = [];
    for (const id of ids) {
      if (await isRefused(desk, "GET", pathOf(id))) damaged.push(id);
    }
    const [first = ""] = damaged;
    assert.ok(damaged.length > 0 && damaged.length < ids.length / 2, String(damaged.length));
    assert.ok(desk.app.ctx.problems.current().some(({ name }) => name === "store_damaged"));
    assert.match(desk.logLines.join(""), /invalid page/, "the log tells the reason");
    // A transaction that meets it, and others.
    assert.equal(await isRefused(desk, "UPDATE", pathOf(first), smallRequest()), true);
    for (const id of ids.filter((id) => !damaged.includes(id)).slice(0, 3)) {
      assert.equal(await isRefused(desk, "UPDATE", pathOf(id), smallRequest()), false);
    }
    assert.equal((await desk.send("GET", "/healthz")).status, 200);
  },
});

/** Whether a call is answered 500 `store_damaged`; it succeeds otherwise. */
async function isRefused(desk: TestDesk, method: string, path: string, body?: unknown) {
  let answer = new Response();
  // A busy machine takes its time to connect to the server that was down.
  await eventually(`${method} ${path} is answered`, async () => {
    answer = await desk.send(method, path, { body });
    if (answer.status === 503) await answer.body?.cancel();
    return answer.status !== 503;
  });
  const text = await answer.text();
  if (answer.status === 200) return false;
  assert.equal(answer.status, 500, `${method} ${path}: ${text}`);
  assert.equal(answer.headers.get("x-keydesk-error"), "store_damaged");
  assert.doesNotMatch(text, /invalid page|postgres/i, "the caller learns nothing of the file");
  return true;
}

/** Overwrites a page of a table's file while the server is down. */
async function damageMiddlePage(server: PostgresServer, url: string, table: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // So that each row is found by its index, and no look at one reads the others.
  await client.query(`analyze ${table}`);
  const { rows: [found] } = await client.query(
    `select pg_relation_filepath($1) as file, pg_relation_size($1) as bytes,
      current_setting('block_size')::int as page_size`,
    [table],
  );
  await client.end();
  const { file, bytes, page_size } = found;
  const pages = Number(bytes) / page_size;
  assert.ok(pages >= 5, `${pages} pages`);
  // Everything is in the files then.
  await server.kill("SIGINT");
  using damaged = await Deno.open(join(server.folder, "data", file), { write: true });
  await damaged.seek(Math.floor(pages / 2) * page_size, Deno.SeekMode.Start);
  await damaged.write(new Uint8Array(page_size).fill(0xa5));
  await server.restart();
}

/**
 * The page of the middle child of a table's root, which must be an interior page: SQLite's file
 * format, 1.6.
 */
async function leafOf(file: string, root: number, pageSize: number): Promise<number> {
  const bytes = await Deno.readFile(file);
  const view = new DataView(bytes.buffer, (root - 1) * pageSize, pageSize);
  assert.ok([2, 5].includes(view.getUint8(0)), "the root has children");
  const middle = Math.floor(view.getUint16(3) / 2);
  return view.getUint32(view.getUint16(12 + 2 * middle));
}
