import assert from "node:assert/strict";
import process from "node:process";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { eventually } from "./eventually.ts";
import { sharedPostgres, startPostgres } from "./postgres.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const moduleUrl = new URL("postgres.ts", import.meta.url).href;

Deno.test("databases are fresh and apart", async () => {
  await using server = await startPostgres();
  const [first, second] = await Promise.all([server.createDatabase(), server.createDatabase()]);
  assert.notEqual(first, second);
  assert.match(first, /^postgres:\/\/\w+:\w{16,}@127\.0\.0\.1:\d+\/\w+$/);

  await query(first, "create table note (text text)");
  await query(first, `insert into note values ('Grüße')`);
  assert.deepEqual(await query(first, "select text from note"), [{ text: "Grüße" }]);
  assert.deepEqual(await query(second, `select to_regclass('note') as note`), [{ note: null }]);

  const copy = await server.createDatabase(first);
  assert.deepEqual(await query(copy, "select text from note"), [{ text: "Grüße" }]);
  await server.dropDatabase(copy);
  await assert.rejects(query(copy, "select 1"), { code: "3D000" });
});

Deno.test("a server is PostgreSQL 18, in UTF-8, and asks for its password", async () => {
  await using server = await startPostgres();
  await using other = await startPostgres();
  const [settings] = await query(
    server.url,
    `select current_setting('server_version_num')::int / 10000 as version,
      current_setting('server_encoding') as encoding,
      current_setting('fsync') as fsync,
      current_setting('max_connections')::int as connections,
      (select datlocale from pg_database where datname = 'template1') as locale,
      upper('é') as upper`,
  );
  assert.deepEqual(settings, {
    version: 18,
    encoding: "UTF8",
    fsync: "off",
    connections: 100,
    locale: "C.UTF-8",
    upper: "É",
  });

  const wrong = new URL(server.url);
  wrong.password = new URL(other.url).password;
  await assert.rejects(query(wrong.href, "select 1"), { code: "28P01" });
});

Deno.test("a locale orders text as its readers expect", async () => {
  const order = `select string_agg(t, '' order by t) from unnest(array['b', 'B', 'é', 'f', 'a']) t`;
  const plain = await sharedPostgres();
  assert.deepEqual(await query(await plain.createDatabase(), order), [{ string_agg: "Babfé" }]);
  await using server = await startPostgres({ locale: "en_US", settings: { max_connections: 7 } });
  const database = await server.createDatabase();
  assert.deepEqual(await query(database, order), [{ string_agg: "abBéf" }]);
  assert.deepEqual(await query(database, "show max_connections"), [{ max_connections: "7" }]);
});

Deno.test("a durable server survives a crash", async () => {
  await using server = await startPostgres({ durable: true });
  const database = await server.createDatabase();
  assert.deepEqual(await query(database, "show fsync"), [{ fsync: "on" }]);
  await query(database, "create table kept as select 1 as one");

  const client = await connect(database);
  const lost = new Promise((resolve) => client.once("end", resolve));
  await assert.rejects(server.restart(), /still running/);
  await server.kill();
  await lost;
  await assert.rejects(query(database, "select 1"), { code: "ECONNREFUSED" });

  await server.restart();
  assert.deepEqual(await query(database, "select one from kept"), [{ one: 1 }]);
  assert.match(await server.log(), /database system was not properly shut down/);
});

Deno.test("stop leaves no process and no folder", async () => {
  for (const crash of [false, true]) {
    const server = await startPostgres();
    const client = await connect(await server.createDatabase());
    const processes = await processesOf(server.folder);
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    processes.push(...rows.map(({ pid }) => pid));
    assert.deepEqual(processes.map(alive), processes.map(() => true));

    if (crash) await server.kill("SIGKILL");
    await Promise.all([server.stop(), server.stop()]);
    // A process closes its files, which is all that others notice, just before it is gone.
    await eventually("its processes are gone", () => !processes.some(alive));
    assert.deepEqual(await processesOf(server.folder), []);
    await assert.rejects(Deno.stat(server.folder), Deno.errors.NotFound);
    await assert.rejects(query(server.url, "select 1"), { code: "ECONNREFUSED" });
    await assert.rejects(server.restart(), /has been stopped/);
  }
});

Deno.test("a killed test process leaves no server", async () => {
  const child = deno(`
    const { url, folder } = await startPostgres();
    console.log(JSON.stringify([url, folder]));
    setInterval(() => {}, 1000);
  `).spawn();
  const [url, folder]: [string, string] = JSON.parse(await firstLine(child.stdout));
  assert.deepEqual(await query(url, "select 1 as one"), [{ one: 1 }]);

  child.kill("SIGKILL");
  await Promise.all([child.status, child.stderr.cancel()]);
  await gone(url, folder);
});

Deno.test("a shared server starts once and goes with its process", async () => {
  assert.equal(await sharedPostgres(), await sharedPostgres());
  const { code, stdout } = await deno(`
    const [one, two] = await Promise.all([sharedPostgres(), sharedPostgres()]);
    await one.createDatabase();
    console.log(JSON.stringify([one.url, one.folder, one === two]));
  `).output();
  assert.equal(code, 0);
  const [url, folder, same]: [string, string, boolean] = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  assert.equal(same, true);
  await gone(url, folder);
});

Deno.test("processes that start at once share their copies and leave nothing else", async () => {
  const temporary = await Deno.realPath(await Deno.makeTempDir({ dir: "/tmp" }));
  const cache = `keydesk-postgres-cache-${Deno.uid()}`;
  const decoder = new TextDecoder();
  try {
    await Deno.chmod(temporary, 0o755);
    const code = `
      await using server = await startPostgres();
      await server.createDatabase();
      console.log(server.folder);
    `;
    const outputs = await Promise.all(
      [1, 2].map(() => deno(code, { TMPDIR: temporary }).output()),
    );
    for (const { code, stdout, stderr } of outputs) {
      assert.equal(code, 0, decoder.decode(stderr));
      assert.ok(decoder.decode(stdout).startsWith(temporary));
    }

    const wrong = `await startPostgres({ settings: { no_such_setting: 1 } });`;
    const output = await deno(wrong, { TMPDIR: temporary }).output();
    assert.equal(output.code, 1);
    assert.match(decoder.decode(output.stderr), /has not started: .*"no_such_setting"/);

    assert.deepEqual(await names(temporary), [cache]);
    const copies = await names(`${temporary}/${cache}`);
    assert.equal(copies.length, 2, copies.join());
    assert.deepEqual(copies.filter((name) => name.startsWith("draft")), []);
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
});

type Row = Record<string, unknown>;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The server may go away beneath it.
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function query(url: string, sql: string): Promise<Row[]> {
  const client = await connect(url);
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A process which runs some code that can use the functions under test. */
function deno(code: string, env: Record<string, string> = {}): Deno.Command {
  const imports = `import { sharedPostgres, startPostgres } from ${JSON.stringify(moduleUrl)};`;
  return new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", "--ext=ts", `${imports}${code}`],
    cwd: root,
    env,
    stdout: "piped",
    stderr: "piped",
  });
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text;
}

/** Waits until nothing is left of a server. */
async function gone(url: string, folder: string): Promise<void> {
  await eventually("nothing is left of the server", async () => {
    const refused = await assert.rejects(query(url, "select 1"), { code: "ECONNREFUSED" })
      .then(() => true, () => false);
    const removed = await assert.rejects(Deno.stat(folder), Deno.errors.NotFound)
      .then(() => true, () => false);
    const processes = await processesOf(folder);
    return refused && removed && processes.length === 0;
  });
}

/** The processes whose command line names a folder, where the system shows them as files. */
async function processesOf(folder: string): Promise<number[]> {
  if (Deno.build.os !== "linux") return [];
  const found = [];
  for (const name of await names("/proc")) {
    const command = /^\d+$/.test(name)
      ? await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "")
      : "";
    if (command.includes(folder)) found.push(Number(name));
  }
  return found;
}

/** Whether a process is running: one that waits for its parent to notice its end is not. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (Deno.build.os !== "linux") return true;
    return !/\) [ZX] /.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}
