/** Moving a store by the command line, killed in the middle. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { recordAudit } from "../../src/changes/audit.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { openSession } from "../../src/storage/open-session.ts";
import { type Statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { parsePostgresUrl } from "../../src/storage/engines/postgres-url.ts";
import { linesOf } from "../support/doors.ts";
import { keydesk, repository, startServerProcess, temporaryFolder } from "../support/command.ts";
import { type Engine, engines, openTestDesk } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import { sharedPostgres } from "../support/postgres.ts";

const ROWS = 60_000;

const fill = defineTransaction("test.fill", async (tx, input: { org_id: string; n: number }) => {
  const actor = { org_id: input.org_id, user_id: "user", token_id: "", now: Date.now() };
  for (let i = 0; i < input.n; i++) {
    await recordAudit(tx, actor, { action: "thing.changed", object: "thing", object_id: `${i}` });
  }
});

const copiedSql: Statement<Record<never, never>, { n: number }> = {
  compile: () => ({
    sql: "select copied as n from store_move where name = 'audit_events'",
    values: () => [],
  }),
};

for (const engine of engines) {
  Deno.test({
    name:
      `${engine}: move-store: killed at any moment it goes on, and both ends stay closed until it is done`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      await walk(engine, folder.path);
    },
  });
}

Deno.test("move-store: a password in an argument is refused, and never repeated", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  for (
    const words of [
      ["--from", "postgres://ada:hunter2@db/x", "--to", "sqlite:y"],
      ["--from", "sqlite:y", "--to", "postgres://db/x?password=hunter2"],
      ["--reopen", "postgresql://ada:hunter2@db/x"],
    ]
  ) {
    const { code, stderr } = await keydesk(["move-store", ...words], settings);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /password in an argument.*KEYDESK_DATABASE_PASSWORD/);
    assert.match(stderr, /--(from|to)-password-file/);
    assert.ok(!stderr.includes("hunter2"));
  }
  const words = ["--reopen", "postgres://ada@db/x", "--from-password-file", "/not/there"];
  const lost = await keydesk(["move-store", ...words], settings);
  assert.deepEqual([lost.code, lost.stderr], [1, "keydesk: /not/there: there is no such file\n"]);
});

async function walk(engine: Engine, folder: string): Promise<void> {
  const key = newSealingKey().trim();
  const source = { KEYDESK_DATA_DIR: join(folder, "from"), KEYDESK_SEALING_KEY: key };
  {
    await using desk = await openTestDesk("sqlite", { environment: source, extra: [fill] });
    for (let n = 0; n < ROWS; n += 5000) {
      await desk.app.ctx.storage.commit(fill, { org_id: desk.org_id, n: 5000 });
    }
  }
  const from = join(folder, "from", "keydesk.db");
  await Deno.mkdir(join(folder, "to"));
  const url = engine === "postgres" ? await (await sharedPostgres()).createDatabase() : undefined;
  const location = url ? { url } : { path: join(folder, "to", "keydesk.db") };
  // The password stands in a file: in an argument it would be refused.
  const password = parsePostgresUrl(url ?? "postgres://").password ?? "";
  const passwordFile = join(folder, "password");
  await Deno.writeTextFile(passwordFile, `${password}\n`);
  const to = url?.replace(`:${password}@`, "@") ?? `sqlite:${join(folder, "to", "keydesk.db")}`;
  const target: Record<string, string> = {
    KEYDESK_DATA_DIR: join(folder, "to"),
    KEYDESK_SEALING_KEY: key,
    ...url ? { KEYDESK_DATABASE_URL: url } : {},
  };
  const words = [
    "move-store",
    "--from",
    `sqlite:${from}`,
    "--to",
    to,
    ...url ? ["--to-password-file", passwordFile] : [],
  ];

  // A key that does not fit, and a server that runs, are refused before anything is closed.
  const wrong = await keydesk(words, { KEYDESK_SEALING_KEY: newSealingKey().trim() });
  assert.deepEqual([wrong.code, /version 1, is not the one/.test(wrong.stderr)], [1, true]);
  {
    await using _server = await startServerProcess(source);
    const busy = await keydesk(words, { KEYDESK_SEALING_KEY: key });
    assert.deepEqual([busy.code, /a server uses the source/.test(busy.stderr)], [1, true]);
  }

  let last = 0;
  for (let kill = 0; kill < 3; kill++) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", join(repository, "src/cli/main.ts"), ...words],
      env: { KEYDESK_SEALING_KEY: key },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const ended = child.status.then(({ code }) => code);
    last = await copiedBeyond(location, last, ended);
    child.kill("SIGKILL");
    await child.status;
    for (const settings of [source, target]) {
      const { code, stderr } = await keydesk(["token", "list"], settings);
      assert.equal(code, 1);
      assert.match(stderr, /being moved|has not ended/);
    }
  }
  assert.ok(last > 0 && last < ROWS, `${last}`);

  const done = await keydesk([...words, "--json"], { KEYDESK_SEALING_KEY: key });
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /Going on with .*both hold the same/s);
  const tables: { table: string; rows: number }[] = linesOf(done.stdout);
  const audit = tables.find(({ table }) => table === "audit_events");
  assert.ok((audit?.rows ?? 0) >= ROWS);
  assert.equal((await keydesk(["token", "list"], target)).code, 0);
  // The source stays closed, until somebody says otherwise.
  assert.match((await keydesk(["token", "list"], source)).stderr, /--reopen/);
  const again = await keydesk(words, { KEYDESK_SEALING_KEY: key });
  assert.deepEqual([again.code, /is done already/.test(again.stderr)], [0, true]);
  assert.equal((await keydesk(["move-store", "--reopen", `sqlite:${from}`], {})).code, 0);
  // From then on the two go separate ways.
  const other = await keydesk(words, { KEYDESK_SEALING_KEY: key });
  assert.deepEqual([other.code, /the target is not empty/.test(other.stderr)], [1, true]);
  assert.equal((await keydesk(["token", "list"], source)).code, 0);
}

/** Waits until more rows than `before` were copied, and gives how many. */
async function copiedBeyond(
  location: { path: string } | { url: string },
  before: number,
  ended: Promise<number>,
): Promise<number> {
  let code: number | undefined;
  ended.then((value) => code = value);
  let copied = 0;
  await eventually("a thousand more rows are copied", async () => {
    assert.equal(code, undefined, "the command ended before it was killed");
    copied = await copiedNow(location).catch(() => 0);
    return copied > before + 1000;
  }, 5);
  return copied;
}

async function copiedNow(location: { path: string } | { url: string }): Promise<number> {
  if ("path" in location) await Deno.stat(location.path);
  const session = await openSession(location);
  try {
    return Number((await session.row(copiedSql, {}))?.n ?? 0);
  } finally {
    await session.close();
  }
}
