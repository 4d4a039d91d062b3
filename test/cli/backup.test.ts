/** Copies of an SQLite store: made beside writers, put back whole, and never over anything. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  keydesk,
  keydeskProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";

const REQUESTS = "/api/portal/requests";

/** Everything in a store that must agree with everything else. */
function contents(path: string) {
  const db = new DatabaseSync(path, { readOnly: true });
  const all = <R>(sql: string) => db.prepare(sql).all() as unknown as R[];
  const ids = all<{ id: string }>("select id from key_requests order by id").map(({ id }) => id);
  const of = (table: string, action: string) =>
    all<{ id: string }>(
      `select object_id as id from ${table} where ${action} = 'key_request.created' order by 1`,
    ).map(({ id }) => id);
  const [counted] = all<{ n: number }>(
    "select sum(n) as n from list_counts where list like 'key_requests/%' and level = 0",
  );
  const found = {
    ids,
    audit: of("audit_events", "action"),
    outbox: of("outbox_events", "topic"),
    counted: counted?.n ?? 0,
  };
  db.close();
  return found;
}

async function credentialOf(folder: string): Promise<string> {
  return (await Deno.readTextFile(join(folder, "administrator-credential"))).trim();
}

Deno.test("backup: under a load of writes it holds all that was acknowledged before, and nothing by halves", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  // One developer writes all the time.
  const settings = { KEYDESK_DATA_DIR: data, KEYDESK_PENDING_PER_DEVELOPER: "0" };
  await using server = await startServerProcess(settings);
  const authorization = await credentialOf(data);
  const acknowledged: string[] = [];
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      const response = await fetch(`${server.url}${REQUESTS}`, {
        method: "POST",
        headers: { authorization },
        body: JSON.stringify({
          by_user: "dev",
          for_plan: "plan",
          fields: { text: "x".repeat(2000) },
        }),
      });
      const { Message } = await response.json();
      assert.equal(response.status, 200);
      acknowledged.push(Message);
    }
  };
  const writers = Array.from({ length: 8 }, write);
  for (let turn = 0; turn < 4; turn++) {
    const before = [...acknowledged];
    const copy = join(folder.path, `copy-${turn}.db`);
    const made = await keydeskProcess(["backup", copy, "--json"], settings);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(JSON.parse(made.stdout).file, copy);
    assert.match(made.stderr, /The sealing key is not in it. It is in .*sealing-key/);
    assert.ok(acknowledged.length > before.length, "writers went on meanwhile");
    assert.equal(((await Deno.stat(copy)).mode ?? 0) & 0o777, 0o600);
    const { ids, audit, outbox, counted } = contents(copy);
    assert.deepEqual(before.filter((id) => !ids.includes(id)), []);
    assert.deepEqual([audit, outbox, counted], [ids, ids, ids.length]);
  }
  isOver = true;
  await Promise.all(writers);
  const left = [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  assert.deepEqual(left, ["copy-0.db", "copy-1.db", "copy-2.db", "copy-3.db", "data"]);

  // Put back on another machine, with its key, it serves what it holds.
  const elsewhere = join(folder.path, "elsewhere");
  const there = { KEYDESK_DATA_DIR: elsewhere };
  const copy = join(folder.path, "copy-3.db");
  const restored = await keydesk(["restore", copy], there);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stderr, /The sealing key is missing: put it back into .*sealing-key/);
  await Deno.copyFile(join(data, "sealing-key"), join(elsewhere, "sealing-key"));
  await using second = await startServerProcess(there);
  const [id] = acknowledged;
  const read = await fetch(`${second.url}${REQUESTS}/${id}`, { headers: { authorization } });
  assert.equal((await read.json()).id, id);
  assert.equal(((await Deno.stat(join(elsewhere, "keydesk.db"))).mode ?? 0) & 0o777, 0o600);
});

Deno.test("backup: nothing is overwritten, and no copy is left where none could be made", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  const copy = join(folder.path, "copy.db");
  const none = await keydesk(["backup", copy], settings);
  assert.deepEqual([none.code, /there is no store in/.test(none.stderr)], [1, true]);
  await copySeeded(settings.KEYDESK_DATA_DIR);
  await Deno.writeTextFile(copy, "precious");
  const there = await keydesk(["backup", copy], settings);
  assert.deepEqual([there.code, /exists already/.test(there.stderr)], [1, true]);
  assert.equal(await Deno.readTextFile(copy), "precious");
  const nowhere = await keydesk(["backup", join(folder.path, "no/such/copy.db")], settings);
  assert.deepEqual([nowhere.code, /no such folder/.test(nowhere.stderr)], [1, true]);
  const postgres = await keydesk(["backup", `${copy}2`], {
    ...settings,
    KEYDESK_DATABASE_URL: "postgres://nobody@127.0.0.1:1/x",
    KEYDESK_SEALING_KEY: `1:${btoa("k".repeat(32))}`,
  });
  assert.deepEqual([postgres.code, /names a PostgreSQL/.test(postgres.stderr)], [1, true]);
  const left = [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  assert.deepEqual(left, ["copy.db", "data"]);
});

Deno.test("restore: never beside a server, never over a store, never from what is damaged or foreign", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const settings = { KEYDESK_DATA_DIR: data };
  const copy = join(folder.path, "copy.db");
  await copySeeded(settings.KEYDESK_DATA_DIR);
  assert.equal((await keydesk(["backup", copy], settings)).code, 0);
  assert.equal((await keydesk(["token", "create", "later", "--allow", "admin"], settings)).code, 0);
  const names = async () => (await keydesk(["token", "list"], settings)).stdout;
  const refused = async (words: string[], sentence: RegExp) => {
    const { code, stderr } = await keydesk(["restore", ...words], settings);
    assert.equal(code, 1, words.join(" "));
    assert.match(stderr, sentence);
    assert.match(await names(), /later/, "the store is as it was");
    assert.ok(![...Deno.readDirSync(data)].some(({ name }) => /restoring|before/.test(name)));
  };
  await refused([copy], /with --replace it is set aside/);
  {
    await using _server = await startServerProcess(settings);
    await refused([copy, "--replace"], /a process has .* open; stop the server first/);
  }
  const bytes = await Deno.readFile(copy);
  const damaged = join(folder.path, "damaged.db");
  await Deno.writeFile(
    damaged,
    bytes.map((byte, i) => i > 8192 && i < 60_000 ? byte ^ 0x55 : byte),
  );
  await refused([damaged, "--replace"], /is no usable copy; /);
  await Deno.writeFile(damaged, bytes.subarray(0, bytes.length / 2));
  await refused([damaged, "--replace"], /is no usable copy; /);
  await Deno.writeTextFile(damaged, "a letter to the editor");
  await refused([damaged, "--replace"], /is no usable copy; SQLite says: file is not a database/);
  const foreign = new DatabaseSync(join(folder.path, "foreign.db"));
  foreign.exec("create table t (x)");
  foreign.close();
  await refused([join(folder.path, "foreign.db"), "--replace"], /but no store of Keydesk/);
  await refused([join(folder.path, "absent.db"), "--replace"], /there is no such file/);
  const newer = join(folder.path, "newer.db");
  await Deno.copyFile(copy, newer);
  const db = new DatabaseSync(newer);
  db.exec("insert into schema_versions values (999, 'later', 999, '')");
  db.close();
  await refused([newer, "--replace"], /has schema 999, which needs code of schema 999 or later/);
  const other = join(folder.path, "other");
  await keydesk(["seed"], { KEYDESK_DATA_DIR: other });
  await keydesk(["backup", join(folder.path, "other.db")], { KEYDESK_DATA_DIR: other });
  await refused(
    [join(folder.path, "other.db"), "--replace"],
    /the sealing key at hand .* is not the one/,
  );

  const done = await keydesk(["restore", copy, "--replace"], settings);
  assert.equal(done.code, 0, done.stderr);
  assert.doesNotMatch(await names(), /later/);
  // What stood there before is whole, under its new name.
  const aside = /is now (\S+)/.exec(done.stderr)?.[1] ?? "";
  const undone = await keydesk(["restore", aside, "--replace"], settings);
  assert.equal(undone.code, 0, undone.stderr);
  assert.match(await names(), /later/);
});

Deno.test("restore: a store that SQLite can't read any more is replaced too", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const settings = { KEYDESK_DATA_DIR: data };
  const copy = join(folder.path, "copy.db");
  await copySeeded(settings.KEYDESK_DATA_DIR);
  assert.equal((await keydesk(["backup", copy], settings)).code, 0);
  await Deno.writeTextFile(join(data, "keydesk.db"), "all gone".repeat(1000));
  const done = await keydesk(["restore", copy, "--replace"], settings);
  assert.equal(done.code, 0, done.stderr);
  assert.equal((await keydesk(["token", "list"], settings)).code, 0);
});

Deno.test("backup: the server is told of it, and of one by other means; neither both nor none", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await using server = await startServerProcess(settings);
  const authorization = await credentialOf(settings.KEYDESK_DATA_DIR);
  const told = async () => {
    const answer = await fetch(`${server.url}/v1/server`, { headers: { authorization } });
    return (await answer.json()).backup.at;
  };
  assert.equal(await told(), null);
  const made = await keydesk(["backup", join(folder.path, "copy.db")], settings);
  assert.equal(made.code, 0, made.stderr);
  const first = await told();
  assert.ok(first !== null, made.stderr);
  const noted = await keydesk(["backup", "--done"], settings);
  assert.equal(noted.code, 0, noted.stderr);
  assert.ok(await told() > first);
  assert.equal((await keydesk(["backup"], settings)).code, 2);
  assert.equal((await keydesk(["backup", "x.db", "--done"], settings)).code, 2);
});
