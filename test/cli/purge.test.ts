/**
 * Purging by hand: what a dry run promises goes, and with an export nothing goes that was not
 * written.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { recordChange } from "../../src/changes/record-change.ts";
import { appendAll } from "../../src/maintenance/audit-log/appender.ts";
import { keepPurgeTime } from "../../src/maintenance/retention/retention.transactions.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { startServerHere } from "../support/server-here.ts";
import { runHere } from "../support/terminal.ts";
import { openTestDesk } from "../support/desk.ts";
import { testOnStores } from "../support/unopened-stores.ts";

const DAY = 24 * 60 * 60 * 1000;

const recordAt = defineTransaction(
  "test.record-at",
  async (tx, input: { org_id: string; times: number[] }) => {
    for (const [i, now] of input.times.entries()) {
      const actor = { org_id: input.org_id, user_id: "user", token_id: "", now };
      const change = { action: "thing.changed", object: "thing", object_id: `"${i}"\n` };
      await recordChange(tx, actor, { ...change, detail: { nested: { i } } });
    }
  },
);

type Line = Record<"id" | "org_id" | "at" | "action" | "actor", string> & { detail: unknown };

type Proved = Partial<Record<"salts" | "erased" | "leaf_index", unknown>>;

type Counted = { table: string; org_id: string; rows: number };

const rowsOf = (text: string): Counted[] =>
  text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

/** The columns that every export has, whichever their order. */
const columnsOf = (line: Line): Line => {
  const { salts: _, erased: __, leaf_index: ___, ...columns } = line as Line & Proved;
  // Where the caller gave none, a row that is proved has no such member.
  return Object.assign({ caller_request_id: "" }, columns);
};

const linesOf = (text: string): Line[] =>
  text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

testOnStores(
  "purge: exports durably, deletes exactly that, and says so in the audit log",
  async ({ settings, engine }) => {
    const old = Array.from({ length: 430 }, (_, i) => Date.now() - 40 * DAY - i * 60_000);
    let org_id = "";
    {
      await using desk = await openTestDesk(engine, { environment: settings, extra: [recordAt] });
      org_id = desk.org_id;
      const other = (await desk.otherOrganisation()).org_id;
      await desk.app.ctx.storage.commit(recordAt, { org_id, times: [...old, Date.now()] });
      await desk.app.ctx.storage.commit(recordAt, { org_id: other, times: old.slice(0, 3) });
    }
    const exported = async (...words: string[]) => {
      const { code, stdout, stderr } = await keydesk(["export", ...words], settings);
      assert.equal(code, 0, stderr);
      return linesOf(stdout);
    };
    const until = new Date(Date.now() - 30 * DAY).toISOString();
    const before = await exported("audit", "--until", until);
    assert.equal(before.length, 433);
    assert.equal(before.filter((line) => line.org_id === org_id).length, 430);
    assert.match(JSON.stringify(before[0]?.detail), /^\{"nested":\{"i":\d+\}\}$/);
    const now = await exported("audit");
    assert.ok(now.length > before.length);
    const exports = now.filter(({ action }) => action === "activity.exported");
    const mine = exports.filter((line) => line.org_id === org_id);
    // Both of one second, in any order.
    const narrow = mine.find(({ detail }) => JSON.stringify(detail) !== "{}");
    assert.deepEqual([narrow?.actor, narrow?.detail], ["operator", { until }]);
    assert.equal(exports.length, 4, "both exports, in both organisations");

    const days = { ...settings, KEYDESK_RETAIN_AUDIT_DAYS: "30", KEYDESK_RETAIN_OUTBOX_DAYS: "0" };
    const dry = await keydesk(["purge", "--dry-run", "--json"], days);
    assert.equal(dry.code, 0, dry.stderr);
    const promised = rowsOf(dry.stdout);
    const audit = promised.filter(({ table }) => table === "audit_events");
    assert.equal(audit.reduce((sum, { rows }) => sum + rows, 0), 433);
    assert.ok(!promised.some(({ table }) => table === "outbox_events"), "kept for ever");
    assert.equal(
      (await exported("audit", "--until", until)).length,
      433,
      "a dry run changes nothing",
    );

    const archive = join(settings.KEYDESK_DATA_DIR ?? "", "..", "archive");
    const done = await keydesk(["purge", "--yes", "--export", archive, "--json"], days);
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(
      rowsOf(done.stdout).filter((one: { table: string }) => one.table === "audit_events")
        .map((one: { rows: number }) => one.rows),
      audit.map(({ rows }) => rows),
    );
    const files = [...Deno.readDirSync(archive)].map(({ name }) => join(archive, name)).sort();
    assert.equal(files.length, 2, files.join());
    const written: Line[] = [];
    for (const file of files) {
      assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
      // Besides the rows, the log that they are proved by.
      const rows = linesOf(await Deno.readTextFile(file)).filter((line) => "actor" in line);
      written.push(...rows.map(columnsOf));
    }
    const byId = (a: Line, b: Line) => a.id < b.id ? -1 : 1;
    assert.deepEqual(written.sort(byId), before.map(columnsOf).sort(byId));
    assert.deepEqual(await exported("audit", "--until", until), []);
    const messages = await exported("outbox", "--until", until);
    assert.equal(messages.length, 433);
    assert.deepEqual([...new Set(messages.map(({ actor }) => actor))], ["user"]);
    const purges = (await exported("audit")).filter(({ action }) => action === "retention.purged");
    const counted = purges.map(({ detail }) => detail as { rows: number; exported: boolean });
    assert.equal(counted.reduce((sum, { rows }) => sum + rows, 0), 433);
    assert.ok(counted.every((one) => one.exported));
  },
);

testOnStores("serve: purges by its settings, beside its calls", async ({ settings, engine }) => {
  const admin = "administrator-of-the-purge-test-000001";
  {
    const environment = { ...settings, KEYDESK_ADMIN_TOKEN: admin };
    await using desk = await openTestDesk(engine, { environment, extra: [recordAt] });
    const times = [Date.now() - 40 * DAY, Date.now() - 20 * DAY];
    await desk.app.ctx.storage.commit(recordAt, { org_id: desk.org_id, times });
  }
  const env = { ...settings, KEYDESK_ADMIN_TOKEN: admin, KEYDESK_RETAIN_AUDIT_DAYS: "30" };
  await using server = await startServerHere(env);
  const events = async () => {
    const headers = { authorization: admin };
    const response = await fetch(`${server.url}/v1/audit-log?object=table`, { headers });
    return (await response.json()).data;
  };
  await eventually("rows are purged", async () => (await events()).length > 0);
  const [purged] = await events();
  assert.deepEqual([purged?.action, purged?.detail.rows], ["retention.purged", 1]);
  await server.stop();
  const left = linesOf((await keydesk(["export", "audit"], settings)).stdout);
  assert.equal(left.filter(({ action }) => action === "thing.changed").length, 1);
});

testOnStores(
  "purge: what a clock alone says is over stays, and is told, until --now",
  async ({ settings, engine }) => {
    {
      await using desk = await openTestDesk(engine, { environment: settings, extra: [recordAt] });
      const times = [Date.now() - 40 * DAY, Date.now()];
      await desk.app.ctx.storage.commit(recordAt, { org_id: desk.org_id, times });
      await desk.app.ctx.storage.commit(keepPurgeTime, { until: Date.now() - 20 * DAY });
    }
    const days = { ...settings, KEYDESK_RETAIN_AUDIT_DAYS: "30" };
    const gone = async (...words: string[]) => {
      const { code, stdout, stderr } = await keydesk(["purge", "--yes", "--json", ...words], days);
      assert.equal(code, 0, stderr);
      const told = /purging goes by .* `keydesk purge --now` lifts that/.test(stderr);
      return { rows: rowsOf(stdout)[0]?.rows, told };
    };
    assert.deepEqual(await gone(), { rows: 0, told: true });
    assert.deepEqual(await gone("--now", "--dry-run"), { rows: 1, told: false });
    assert.deepEqual(await gone("--dry-run"), { rows: 0, told: true });
    assert.deepEqual(await gone("--now"), { rows: 1, told: false });
    // The store goes by the clock again.
    assert.deepEqual(await gone(), { rows: 0, told: false });
  },
);

testOnStores(
  "purge: where the export can't be written nothing goes",
  async ({ settings, engine }) => {
    {
      await using desk = await openTestDesk(engine, { environment: settings, extra: [recordAt] });
      const times = [Date.now() - 40 * DAY];
      await desk.app.ctx.storage.commit(recordAt, { org_id: desk.org_id, times });
    }
    const days = { ...settings, KEYDESK_RETAIN_AUDIT_DAYS: "30" };
    const blocked = join(settings.KEYDESK_DATA_DIR ?? "", "..", "a-file");
    await Deno.writeTextFile(blocked, "");
    const refused = await keydesk(["purge", "--yes", "--export", join(blocked, "x")], days);
    assert.equal(refused.code, 1, refused.stdout);
    const { stdout } = await keydesk(["purge", "--dry-run", "--json"], days);
    assert.equal(rowsOf(stdout)[0]?.rows, 1);
  },
);

testOnStores(
  "purge: a young row early in the log keeps those behind it, and a dry run counts so",
  async ({ settings, engine }) => {
    {
      await using desk = await openTestDesk(engine, { environment: settings, extra: [recordAt] });
      const { org_id, app: { ctx } } = desk;
      const old = Array.from({ length: 205 }, () => Date.now() - 40 * DAY);
      await ctx.storage.commit(recordAt, { org_id, times: old });
      await appendAll(ctx);
      await ctx.storage.commit(recordAt, { org_id, times: old.slice(0, 3) });
    }
    const days = { ...settings, KEYDESK_RETAIN_AUDIT_DAYS: "30" };
    const runs: [number, ...string[]][] = [[205, "--dry-run"], [205], [0, "--dry-run"]];
    for (const [rows, ...words] of runs) {
      const { code, stdout, stderr } = await keydesk(["purge", "--yes", "--json", ...words], days);
      assert.equal(code, 0, stderr);
      const [audit] = rowsOf(stdout);
      assert.equal(audit?.rows, rows);
      assert.match(stderr, /: 3 audit rows from before \S+ stay: .* a younger row comes first/);
    }
  },
);

Deno.test("purge: asks before anything goes; where nobody can answer it needs --yes", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_RETAIN_AUDIT_DAYS: "1" };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const unsaid = await keydesk(["purge"], settings);
  assert.deepEqual([unsaid.code, unsaid.stdout], [2, ""]);
  assert.match(unsaid.stderr, /say --yes, or look at first with --dry-run/);
  for (
    const [answer, code] of [["n\n", 1], ["", 1], ["\n", 1], ["y\n", 0], ["yes\n", 0]] as const
  ) {
    const asked = await runHere(["purge"], settings, answer, 80);
    assert.equal(asked.code, code, `${answer}: ${asked.stderr}`);
    assert.match(asked.stderr, /^\d+ rows go for good .*\? \[y\/N\] /);
    if (code === 1) assert.match(asked.stderr, /keydesk: nothing was removed\n$/);
  }
});
