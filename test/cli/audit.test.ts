/**
 * The audit log proved by the command line: from the store, from an export, and against heads that
 * were noted.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { locationOf } from "../../src/open-server.ts";
import { openSession } from "../../src/storage/open-session.ts";
import { readConfig } from "../../src/config.ts";
import { keydesk, temporaryFolder } from "../support/command.ts";
import { DAY, filledStore, recordAt, textOf } from "../support/filled-audit-log.ts";
import { appendAll } from "../../src/maintenance/audit-log/appender.ts";
import { openTestDesk } from "../support/desk.ts";
import { startServerHere } from "../support/server-here.ts";
import { runPageExample } from "../support/page-example.ts";

type Result = { findings: { wrong: string; leaf_index: number; id: string }[] };

async function verified(
  settings: Record<string, string>,
  ...words: string[]
): Promise<{ code: number; results: Result[] }> {
  const { code, stdout, stderr } = await keydesk(["audit", "verify", "--json", ...words], settings);
  assert.ok(code === 0 || /finding/.test(stderr), stderr);
  return { code, results: stdout.trim().split("\n").map((line) => JSON.parse(line)) };
}

const told = ({ results }: { results: Result[] }) =>
  results.flatMap(({ findings }) =>
    findings.map(({ wrong, leaf_index }) => `${wrong} ${leaf_index}`)
  );

Deno.test("audit: the store and its export hold, and a witness's head with them", async () => {
  await using folder = await temporaryFolder();
  const { settings, org_id } = await filledStore(folder.path);
  const text = await keydesk(["audit", "verify"], settings);
  assert.equal(text.code, 0, text.stderr);
  assert.match(text.stdout, new RegExp(`^keydesk/${org_id}: holds\n  \\d+ entries read`));

  const heads = await keydesk(["audit", "checkpoint"], settings);
  assert.match(heads.stdout, new RegExp(`^keydesk/${org_id}\n\\d+\n\\S{44}\n\n\u2014 `));
  const noted = join(folder.path, "heads.txt");
  await Deno.writeTextFile(noted, heads.stdout);
  const key = (await keydesk(["audit", "checkpoint", "--keys"], settings)).stdout.trim();
  assert.equal((await verified(settings, "--since", noted, "--key", key)).code, 0);

  const other = join(folder.path, "other.txt");
  await Deno.writeTextFile(other, heads.stdout + heads.stdout.replaceAll(org_id, "f".repeat(24)));
  const missed = await verified(settings, "--since", other);
  assert.deepEqual([missed.code, told(missed).map((one) => one.split(" ")[0])], [1, ["forked"]]);

  const file = join(folder.path, "trail.jsonl");
  const exported = await keydesk(["export", "audit", "--proof"], settings);
  assert.equal(exported.code, 0, exported.stderr);
  await Deno.writeTextFile(file, exported.stdout);
  assert.deepEqual(told(await verified(settings, file, "--since", noted, "--key", key)), []);
  const lines = exported.stdout.trimEnd().split("\n");
  const rows = lines.flatMap((line, at) => JSON.parse(line).leaf_index === undefined ? [] : [at]);
  const at = rows[7] ?? 0;
  const { leaf_index } = JSON.parse(lines[at] ?? "");
  const changes: Record<string, string[]> = {
    [`removed ${leaf_index}`]: lines.toSpliced(at, 1),
    [`changed ${leaf_index}`]: lines.with(at, (lines[at] ?? "").replace('"i":', '"i":9')),
    [`inserted ${leaf_index}`]: lines.toSpliced(at, 0, lines[at] ?? ""),
    [`removed ${JSON.parse(lines.at(-1) ?? "").end.size}`]: lines.slice(0, -1),
  };
  for (const [expected, changed] of Object.entries(changes)) {
    await Deno.writeTextFile(file, changed.join("\n"));
    const found = await verified(settings, file);
    assert.deepEqual([found.code, told(found)], [1, [expected]]);
  }
  await Deno.writeTextFile(file, "{}\n");
  const strange = await keydesk(["audit", "verify", file], settings);
  assert.equal(strange.code, 1);
  assert.match(strange.stderr, /line 1 is not of a provable export/);
});

Deno.test("audit: a row changed, removed and put in behind its back is found, with its place", async () => {
  await using folder = await temporaryFolder();
  const { settings } = await filledStore(folder.path);
  const session = await openSession(locationOf(readConfig(settings)));
  await session.exec("update audit_events set actor = 'else' where leaf_index = 5");
  await session.exec("delete from audit_events where leaf_index = 9");
  await session.exec(
    `insert into audit_events (org_id, id, at, actor, action, object, object_id, detail)
    select org_id, id || 'x', at, actor, action, object, object_id, detail from audit_events
    where leaf_index = 12`,
  );
  await session.close();
  const found = await verified(settings);
  assert.equal(found.code, 1);
  assert.deepEqual(told(found), ["changed 5", "removed 9", "inserted null"]);
});

Deno.test("purge: what it exports of the audit log is proved by the file alone, and the rest by the store", async () => {
  await using folder = await temporaryFolder();
  const { settings } = await filledStore(folder.path);
  const days = { ...settings, KEYDESK_RETAIN_AUDIT_DAYS: "30", KEYDESK_RETAIN_OUTBOX_DAYS: "0" };
  const archive = join(folder.path, "archive");
  const purged = await keydesk(["purge", "--yes", "--export", archive], days);
  assert.equal(purged.code, 0, purged.stderr);
  const [file] = [...Deno.readDirSync(archive)].map(({ name }) => join(archive, name));
  const found = await verified(settings, file ?? "");
  assert.deepEqual([found.code, told(found)], [0, []]);
  const text = await Deno.readTextFile(file ?? "");
  assert.equal(text.split("\n").filter((line) => /"leaf_index":\d/.test(line)).length, 300);
  assert.deepEqual(told(await verified(settings)), []);
  await Deno.writeTextFile(file ?? "", text.replace("Jane 17", "John 17"));
  assert.deepEqual(told(await verified(settings, file ?? "")), ["changed 17"]);
});

Deno.test("export: as events of OCSF, with what their classes require", async () => {
  await using folder = await temporaryFolder();
  const { settings } = await filledStore(folder.path);
  const { code, stdout, stderr } = await keydesk(
    ["export", "audit", "--format", "ocsf", "--from", new Date(Date.now() - DAY).toISOString()],
    settings,
  );
  assert.equal(code, 0, stderr);
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(events.length > 2 && events.length < 20);
  for (const event of events) {
    assert.equal(event.type_uid, event.class_uid * 100 + event.activity_id);
    assert.equal(event.category_uid, Math.floor(event.class_uid / 1000));
    assert.equal(event.metadata.version, "1.3.0");
    assert.ok(event.metadata.product.name && event.metadata.product.vendor_name);
    assert.ok(Number.isInteger(event.time) && Number.isInteger(event.severity_id));
    assert.ok(event.actor.user.uid !== "");
    const required: Record<number, boolean> = {
      3001: event.user?.uid !== undefined,
      3002: event.user?.uid !== undefined && event.service?.name !== undefined,
      3004: event.entity?.uid !== undefined,
      6003: event.api?.operation !== undefined && event.src_endpoint !== undefined,
    };
    assert.ok(required[event.class_uid], JSON.stringify(event));
  }
  const change = events.find(({ class_uid }) => class_uid === 3001);
  assert.deepEqual(change.src_endpoint, { ip: "192.0.2.7" });
  assert.equal(change.unmapped.detail.name, "Jane 0");
  for (const words of [["outbox", "--proof"], ["audit", "--proof", "--until", "2026-01-01"]]) {
    assert.equal((await keydesk(["export", ...words], settings)).code, 2);
  }
});

Deno.test("audit erase: a person goes out of the store and its exports, and the proof holds", async () => {
  await using folder = await temporaryFolder();
  const { settings, org_id } = await filledStore(folder.path);
  for (const words of [[], ["--person", " "], ["--before", "then"]]) {
    assert.equal((await keydesk(["audit", "erase", ...words], settings)).code, 2);
  }
  const erase = async (...words: string[]) => {
    const { code, stdout, stderr } = await keydesk(["audit", "erase", ...words], settings);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const jane = ["--person", "jane 17", "--organisation", org_id];
  // Jane 170 to 179 are others.
  assert.match(
    await erase(...jane, "--dry-run"),
    /: 1 values of 1 rows would go\n {2}10 rows hold/,
  );
  const exported = async () => (await keydesk(["export", "audit", "--proof"], settings)).stdout;
  assert.match(await exported(), /Jane 17"/);
  assert.equal(JSON.parse(await erase(...jane, "--json")).values, 1);
  assert.doesNotMatch(await exported(), /Jane 17"/);
  assert.match(await exported(), /Jane 170"/);
  const before = new Date(Date.now() - DAY).toISOString();
  assert.match(await erase("--before", before), /: 599 values of 300 rows gone/);
  const file = join(folder.path, "trail.jsonl");
  await Deno.writeTextFile(file, await exported());
  assert.equal((await Deno.readTextFile(file)).split("Jane").length, 3);
  for (const words of [[], [file]]) {
    const found = await verified(settings, ...words);
    assert.deepEqual([found.code, told(found)], [0, []]);
  }
});

/** What the verifier of docs/audit-log.md says of an export. */
function runExample(folder: string, file: string, keys: readonly string[]): Promise<string> {
  const section = "An export that can be proved";
  return runPageExample({ page: "audit-log.md", section, folder }, [file, ...keys]);
}

Deno.test("audit: the page's verifier takes key lines as printed, and a purge's file", async () => {
  await using folder = await temporaryFolder();
  const { settings } = await filledStore(folder.path);
  const { stdout } = await keydesk(["audit", "checkpoint", "--keys"], settings);
  const key = stdout.trim();
  assert.match(key, /^[^+]+\+[^+]+\+.*\+/);
  const holds = "signed: true\nroot: true\n0";
  const file = join(folder.path, "trail.jsonl");
  const text = (await keydesk(["export", "audit", "--proof"], settings)).stdout;
  await Deno.writeTextFile(file, text);
  const other = `x+00000000+${textOf(btoa("x".repeat(32)))}`;
  assert.equal(await runExample(folder.path, file, [other, key]), holds);
  assert.equal(await runExample(folder.path, file, [other]), "signed: false\nroot: true\n1");
  await Deno.writeTextFile(file, text.replace("Jane 17", "John 17"));
  assert.equal(await runExample(folder.path, file, [key]), "signed: true\nroot: false\n1");
  const archive = join(folder.path, "archive");
  const days = { ...settings, KEYDESK_RETAIN_AUDIT_DAYS: "30", KEYDESK_RETAIN_OUTBOX_DAYS: "0" };
  assert.equal((await keydesk(["purge", "--yes", "--export", archive], days)).code, 0);
  const [purged] = [...Deno.readDirSync(archive)].map(({ name }) => join(archive, name));
  assert.equal(await runExample(folder.path, purged ?? "", [key]), holds);
});

Deno.test("audit: after a key change both keys hold together; late rows are told as no finding", async () => {
  await using folder = await temporaryFolder();
  const { settings, org_id } = await filledStore(folder.path);
  {
    await using desk = await openTestDesk("sqlite", { environment: settings, extra: [recordAt] });
    const { storage } = desk.app.ctx;
    const session = await openSession(locationOf(readConfig(settings)));
    await session.exec("update trail_keys set private_key = null");
    await session.close();
    await storage.commit(recordAt, { org_id, times: [Date.now() - DAY] });
    await appendAll(desk.app.ctx);
  }
  const keys = (await keydesk(["audit", "checkpoint", "--keys"], settings)).stdout.trim().split(
    "\n",
  )
    .filter((line) => line.startsWith(`keydesk/${org_id}+`));
  assert.equal(keys.length, 2);
  const both = keys.flatMap((key) => ["--key", key]);
  const held = await keydesk(["audit", "verify", "--organisation", org_id, ...both], settings);
  assert.equal(held.code, 0, held.stdout);
  assert.match(held.stdout, /1 say a time .* no sign of change by itself/);
  const words = ["audit", "verify", "--organisation", org_id, "--key", keys[0] ?? ""];
  assert.equal((await keydesk(words, settings)).code, 1);
  const help = (await keydesk(["audit", "verify", "--help"], settings)).stdout;
  assert.match(help, /--key NEW --key OLD/);
});

Deno.test("audit: a receiver's file is compared with the store, row by row", async () => {
  await using folder = await temporaryFolder();
  const place = join(folder.path, "sink.jsonl");
  const settings = {
    KEYDESK_DATA_DIR: join(folder.path, "data"),
    KEYDESK_AUDIT_STREAM: `file:${place}`,
  };
  const seeded = await keydesk(["seed"], settings);
  assert.equal(seeded.code, 0, seeded.stderr);
  const credential = (await Deno.readTextFile(join(folder.path, "data/administrator-credential")))
    .trim();
  {
    await using server = await startServerHere(settings);
    for (let n = 0; n < 12; n++) {
      const answer = await fetch(`${server.url}/v1/developers`, {
        method: "POST",
        headers: { authorization: credential },
        body: JSON.stringify({ email: `one${n}@example.org` }),
      });
      assert.equal(answer.status, 200, await answer.text());
    }
  }
  const compared = async (lines: readonly string[], name: string) => {
    const file = join(folder.path, name);
    await Deno.writeTextFile(file, `${lines.join("\n")}\n`);
    const { code, stdout, stderr } = await keydesk(["audit", "verify", file, "--json"], settings);
    const { there, doubled, waiting, missing, changed, unknown } = JSON.parse(stdout);
    const counts = [missing, changed, unknown].map(({ count }) => count);
    return { code, there, doubled, waiting, counts, ids: missing.ids as string[], stderr };
  };
  const lines = (await Deno.readTextFile(place)).trimEnd().split("\n");
  const whole = await compared(lines, "whole");
  assert.deepEqual([whole.code, whole.there, whole.counts], [0, lines.length, [0, 0, 0]]);
  // As a syslog receiver writes them, with what else it was sent.
  const head = "<109>1 2026-01-01T00:00:00.000Z host keydesk 1 a.b - ";
  const received = ["x".repeat(1000), ...lines.map((line) => head + line)];
  assert.equal((await compared(received, "received")).there, lines.length);
  const at = lines.length - 5;
  const dropped = JSON.parse(lines[at] ?? "").id;
  const wrong = [
    ...lines.slice(0, at),
    lines[at + 1] ?? "",
    lines[at + 1] ?? "",
    (lines[at + 2] ?? "").replace('"actor":"', '"actor":"f'),
    (lines[at + 3] ?? "").slice(0, 80),
    (lines[at + 4] ?? "").replace(/"id":"\w/, '"id":"f'),
  ];
  const found = await compared(wrong, "wrong");
  assert.equal(found.code, 1);
  assert.deepEqual([found.there, found.doubled], [at + 1, 1]);
  // The one that was dropped, the one that was cut, and the one under another id.
  assert.deepEqual(found.counts, [3, 1, 1]);
  assert.equal(found.ids[0], dropped);
  assert.match(found.stderr, /1 line with a row that was cut: \d+/);
  const text = await keydesk(["audit", "verify", join(folder.path, "wrong")], settings);
  assert.match(text.stdout, new RegExp(`3 missing: ${dropped}, `));
});
