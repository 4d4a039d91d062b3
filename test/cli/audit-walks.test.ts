/**
 * What happens to a store and its audit log: it is moved, its sealing key is lost, it is followed,
 * its server is killed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { appendAll } from "../../src/maintenance/audit-log/appender.ts";
import { parsePostgresUrl } from "../../src/storage/engines/postgres-url.ts";
import { keydesk, repository, startServerProcess, temporaryFolder } from "../support/command.ts";
import { engines, openTestDesk } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import { filledStore, recordAt } from "../support/filled-audit-log.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { runSql } from "../support/stores.ts";

type Settings = Record<string, string>;

/** What a command says that has to succeed. */
async function said(words: string[], settings: Settings): Promise<string> {
  const { code, stdout, stderr } = await keydesk(words, settings);
  assert.equal(code, 0, `${words.join(" ")}: ${stderr}${stdout}`);
  return stdout;
}

/** Makes a further row of the audit log and takes it into the log. */
async function addRow(settings: Settings, org_id: string): Promise<void> {
  await using desk = await openTestDesk("sqlite", { environment: settings, extra: [recordAt] });
  await desk.app.ctx.storage.commit(recordAt, { org_id, times: [Date.now()] });
  await appendAll(desk.app.ctx);
}

const rowsOf = (text: string): { id: string; action: string; leaf_index: number | null }[] =>
  text.split("\n").filter((line) => line.includes('"leaf_index"')).map((line) => JSON.parse(line));

if (engines.includes("postgres")) {
  Deno.test({
    name:
      "audit log: it is proved as before in another engine's store, heads that were noted with it",
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      const { settings } = await filledStore(folder.path);
      const noted = join(folder.path, "heads.txt");
      await Deno.writeTextFile(noted, await said(["audit", "checkpoint"], settings));
      const before = rowsOf(await said(["export", "audit", "--proof"], settings));
      const url = await (await sharedPostgres()).createDatabase();
      const password = parsePostgresUrl(url).password ?? "";
      const passwordFile = join(folder.path, "password");
      await Deno.writeTextFile(passwordFile, password);
      await said([
        "move-store",
        "--from",
        `sqlite:${join(folder.path, "data", "keydesk.db")}`,
        "--to",
        url.replace(`:${password}@`, "@"),
        "--to-password-file",
        passwordFile,
      ], settings);
      const target = { ...settings, KEYDESK_DATABASE_URL: url };
      const [line = ""] = (await said(["audit", "verify", "--json", "--since", noted], target))
        .split("\n");
      const { verified, findings } = JSON.parse(line);
      assert.deepEqual([findings, verified.head.size > 300], [[], true]);
      const after = rowsOf(await said(["export", "audit", "--proof"], target));
      assert.deepEqual(after.slice(0, before.length - 1), before.slice(0, -1));
      const checks = (await said(["check", "--json"], target)).trim().split("\n");
      assert.deepEqual(
        checks.map((one) => JSON.parse(one)).filter(({ result }) => result !== "ok"),
        [],
      );
    },
  });
}

Deno.test("reseal --accept-loss: another key signs the audit log, which tells so; each head is by its key", async () => {
  await using folder = await temporaryFolder();
  const { settings, org_id } = await filledStore(folder.path);
  const keys = async () =>
    (await said(["audit", "checkpoint", "--keys"], settings)).trim().split("\n");
  const [oldKey = ""] = await keys();
  settings.KEYDESK_SEALING_KEY = newSealingKey().trim().replace(/^1:/, "2:");
  await said(["reseal", "--accept-loss"], settings);
  await addRow(settings, org_id);
  // What tells of the new key goes into the log with the next row.
  await addRow(settings, org_id);
  const [newKey = "", former] = await keys();
  assert.equal(former, oldKey);
  assert.notEqual(newKey, oldKey);
  const rows = rowsOf(await said(["export", "audit", "--proof"], settings));
  const told = rows.filter(({ action }) => action === "trail.key_changed");
  assert.equal(told.length, 1);
  assert.ok((told[0]?.leaf_index ?? -1) > 300);
  // The key that was given up proves nothing any more, unless it is named.
  const alone = await keydesk(["audit", "verify"], settings);
  assert.equal(alone.code, 1);
  assert.match(alone.stdout, /unsigned: .* give the old key with --key/);
  assert.ok(alone.stdout.includes(` by ${newKey}\n`));
  await said(["audit", "verify", "--key", oldKey, "--key", newKey], settings);
  // By one of the keys alone, the heads of the other are nobody's.
  const unsigned = async (key: string) => {
    const { code, stdout } = await keydesk(["audit", "verify", "--json", "--key", key], settings);
    assert.equal(code, 1);
    const { findings } = JSON.parse(stdout);
    return findings.map(({ wrong, leaf_index }: { wrong: string; leaf_index: number }) => {
      assert.equal(wrong, "unsigned");
      return leaf_index;
    });
  };
  const [byOld, byNew] = [await unsigned(newKey), await unsigned(oldKey)];
  assert.ok(byOld.length > 0 && byNew.length > 0);
  assert.ok(Math.max(...byOld) < Math.min(...byNew));
});

Deno.test("export --follow: a row comes once it is in the log, until a signal ends it", async () => {
  await using folder = await temporaryFolder();
  const { settings, org_id } = await filledStore(folder.path);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-prompt",
      join(repository, "src/cli/main.ts"),
      "export",
      "audit",
      "--follow",
    ],
    env: settings,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let text = "";
  const end = (async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) text += piece;
  })();
  const whole = () => rowsOf(text.slice(0, text.lastIndexOf("\n") + 1));
  try {
    await eventually("what there was", () => whole().length > 302);
    for (let n = 0; n < 2; n++) {
      const before = whole().length;
      await addRow(settings, org_id);
      await eventually("a further row", () => whole().length > before);
    }
  } finally {
    child.kill("SIGTERM");
  }
  const { signal, code } = await child.status;
  await end;
  assert.ok(signal === "SIGTERM" || code !== 0);
  // None left out, none twice.
  assert.deepEqual(whole().map(({ leaf_index }) => leaf_index), whole().map((_, i) => i));
});

Deno.test("audit log: rows that wait when the server is killed are in the log once after the next start", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  const location = { path: join(folder.path, "keydesk.db") };
  const N = 20;
  {
    await using server = await startServerProcess(settings);
    // Another node has the right to append, so that rows do wait.
    await runSql(location, [
      "insert or replace into trail_lease (id, holder, until) values (1, 'x', '2999-01-01T00:00:00.000Z')",
    ]);
    const file = join(folder.path, "administrator-credential");
    const authorization = (await Deno.readTextFile(file)).trim();
    for (let n = 0; n < N; n++) {
      const answer = await fetch(`${server.url}/v1/developers`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ email: `dev${n}@example.com` }),
      });
      assert.equal(answer.status, 200, await answer.text());
    }
    await server.stop("SIGKILL");
  }
  const verified = async () =>
    JSON.parse(await said(["audit", "verify", "--json"], settings)).verified;
  assert.ok((await verified()).waiting >= N);
  await runSql(location, ["delete from trail_lease"]);
  {
    await using _server = await startServerProcess(settings);
    await eventually("all are in the log", async () => (await verified()).waiting === 0);
  }
  const rows = rowsOf(await said(["export", "audit", "--proof"], settings));
  const created = rows.filter(({ action }) => action === "developer.created");
  assert.equal(created.length, N);
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  const places = rows.flatMap(({ leaf_index }) => leaf_index === null ? [] : [leaf_index]);
  assert.deepEqual(places.toSorted((a, b) => a - b), places.map((_, i) => i));
  assert.ok(created.every(({ leaf_index }) => leaf_index !== null));
});
