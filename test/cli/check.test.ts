/** `keydesk check`: over a store, a copy and what is damaged, for people and for scripts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { migrateSession, stepsOf } from "../../src/storage/migrate-session.ts";
import { CHECKSUMS_DEMANDED, migrations } from "../../src/storage/migrations/list.ts";
import { openSession } from "../../src/storage/open-session.ts";
import type { StorageLocation } from "../../src/storage/open-storage.ts";
import {
  keydesk,
  repository,
  run,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { BEFORE_CHECKSUMS, copyOldStore, OLD_SEALING_KEY } from "../support/old-stores.ts";
import { runSql } from "../support/stores.ts";
import { testOnStores } from "../support/unopened-stores.ts";

interface Told {
  check: string;
  result: string;
  text: string;
  advice?: string;
}

async function checked(settings: Record<string, string>, ...words: string[]) {
  const { code, stdout, stderr } = await keydesk(["check", "--json", ...words], settings);
  const findings: Told[] = stdout.trim().split("\n").filter(Boolean).map((line) =>
    JSON.parse(line)
  );
  return { code, stderr, findings, bad: findings.filter(({ result }) => result !== "ok") };
}

async function oldestCode(location: StorageLocation): Promise<number> {
  const session = await openSession(location);
  try {
    return Number((await stepsOf(session)).at(-1)?.oldest_code);
  } finally {
    await session.close();
  }
}

testOnStores(
  "check: a store in order, what was changed in it, and how it is put right",
  async ({ settings, location }) => {
    const absent = await keydesk(["check"], settings);
    assert.equal(absent.code, 1);
    assert.equal((await keydesk(["seed"], settings)).code, 0);
    const fine = await checked(settings);
    assert.deepEqual(fine.bad, []);
    assert.equal(fine.code, 0);
    const names = new Set(fine.findings.map(({ check }) => check));
    assert.deepEqual([...names], [
      "structure",
      "checksums",
      "counters",
      "references",
      "audit-log",
    ]);

    await runSql(location, [
      `update credentials set state = 'suspended' where key_id = (
      select min(key_id) from credentials where state = 'active')`,
      "update audit_events set object_id = 'else' where id = (select min(id) from audit_events)",
      "update list_counts set n = n + 1 where list = 'developers' and level = 0",
      // Nothing in it was counted yet.
      "update certificate_name_ranges set counted = 1",
      `insert into oauth_tokens (org_id, hash, key_id, client_id, issued_at, expires_at)
      select id, 'hash', 'no-such-key', '', '2026-01-01', '2026-01-02' from organisations`,
      `insert into credential_labels (org_id, kind, label, issued_at, key_id)
      select id, 'tag', 'edge', '2026-01-01', 'no-such-key' from organisations`,
      `insert into credential_words (org_id, word, key_id)
      select id, 'checkout', 'no-such-key' from organisations`,
      `update credentials set environment = 'nowhere' where key_id = (
      select max(key_id) from credentials)`,
    ]);
    const damaged = await checked(settings);
    assert.equal(damaged.code, 1);
    // The state stands in the lists by plan, too.
    assert.deepEqual(
      [...new Set(damaged.bad.map(({ check, result }) => `${check} ${result}`))],
      ["checksums fail", "counters fail", "references fail", "audit-log fail"],
    );
    for (const { advice } of damaged.bad) assert.ok(advice);
    for (
      const name of [
        "keys in the lists of environments and tags exist as listed; no-such-key",
        "search words belong to a key with a name; no-such-key",
        "keys with an environment are in its list",
        'from the name "" on: 0 counted',
      ]
    ) assert.ok(damaged.bad.some(({ text }) => text.includes(name)), name);
    const told = await keydesk(["check"], settings);
    assert.equal(told.code, 1);
    assert.match(told.stderr, /\d+ of \d+ findings are damage/);
    const words = /--accept (\S+)/.exec(told.stdout)?.[1] ?? "";
    assert.match(words, /^key:[0-9a-f]{24}:[0-9a-f]{64}$/);

    assert.equal((await keydesk(["check", "--accept", words.slice(0, -1)], settings)).code, 1);
    assert.equal((await keydesk(["check", "--accept", "zz"], settings)).code, 2);
    assert.equal((await keydesk(["check", "--accept", words], settings)).code, 0);
    assert.equal((await keydesk(["check", "--recount"], settings)).code, 0);
    const after = await checked(settings);
    assert.deepEqual(
      new Set(after.bad.map(({ check }) => check)),
      new Set(["references", "audit-log"]),
    );
  },
);

testOnStores(
  "check --demand: refused while a server has the store open, and then nothing is changed",
  async ({ settings, location }) => {
    assert.equal((await keydesk(["seed"], settings)).code, 0);
    // As after the upgrade from a release without checksums.
    await runSql(location, ["update schema_versions set oldest_code = 0"]);
    {
      await using _server = await startServerProcess(settings);
      const refused = await keydesk(["check", "--demand"], settings);
      assert.deepEqual([refused.code, refused.stdout], [1, ""]);
      assert.match(refused.stderr, /has .* open: stop every server and command/);
    }
    assert.equal(await oldestCode(location), 0);
    const demanded = await keydesk(["check", "--demand", "--json"], settings);
    assert.equal(demanded.code, 0, demanded.stderr);
    assert.deepEqual(JSON.parse(demanded.stdout), { written: 0 });
    assert.equal(await oldestCode(location), CHECKSUMS_DEMANDED);
  },
);

Deno.test("check: a copy that backup made, and one whose bytes were changed", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const copy = join(folder.path, "copy.db");
  assert.equal((await keydesk(["backup", copy], settings)).code, 0);
  const before = await Deno.readFile(copy);
  // As it is installed, with the launcher's grants: the copy is read and nothing beside it is
  // written.
  const inSandbox = await run(
    ["node", join(repository, "bin/keydesk.js"), "check", copy],
    { env: settings },
  );
  assert.equal(inSandbox.code, 0, inSandbox.stderr);
  assert.doesNotMatch(inSandbox.stdout, /fail|warn|skip/);
  const beside = [...Deno.readDirSync(folder.path)].map(({ name }) => name).sort();
  assert.deepEqual(beside, ["copy.db", "data"]);
  assert.deepEqual(await Deno.readFile(copy), before);

  // Without the sealing key the rest is checked all the same.
  const elsewhere = { KEYDESK_DATA_DIR: join(folder.path, "elsewhere") };
  const keyless = await checked(elsewhere, copy);
  assert.equal(keyless.code, 0);
  assert.deepEqual(keyless.bad.map(({ check, result }) => [check, result]), [[
    "checksums",
    "skip",
  ]]);

  const changed = join(folder.path, "changed.db");
  await Deno.copyFile(copy, changed);
  await runSql({ path: changed }, [
    "update audit_events set actor = 'else' where id = (select min(id) from audit_events)",
  ]);
  const auditLog = await checked(settings, changed);
  assert.equal(auditLog.code, 1);
  assert.deepEqual(auditLog.bad.map(({ check, result }) => [check, result]), [[
    "audit-log",
    "fail",
  ]]);
  assert.match(auditLog.bad[0]?.advice ?? "", /audit verify/);

  const broken = join(folder.path, "broken.db");
  const bytes = before.slice();
  bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8192);
  await Deno.writeFile(broken, bytes);
  const found = await checked(settings, broken);
  assert.equal(found.code, 1);
  assert.ok(
    found.bad.some(({ check, result, advice }) =>
      check === "structure" && result === "fail" && advice
    ),
  );

  await Deno.writeFile(broken, new Uint8Array(10_000).fill(1));
  const none = await checked(settings, broken);
  assert.deepEqual([none.code, none.bad.map(({ check }) => check)], [1, ["structure"]]);
  assert.equal((await checked(settings, join(folder.path, "absent.db"))).code, 1);
});

Deno.test("check: a lost sealing key is said once, by the start too, and how to go on", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  {
    await using _server = await startServerProcess(settings);
  }
  await Deno.writeTextFile(
    join(folder.path, "sealing-key"),
    newSealingKey().replace(/^1:/, "2:"),
  );
  const { code, bad } = await checked(settings);
  assert.deepEqual([code, bad.map(({ check }) => check)], [1, ["checksums", "audit-log"]]);
  assert.match(bad[0]?.text ?? "", /newest sealing key is missing/);
  assert.match(bad[0]?.advice ?? "", /keydesk reseal --accept-loss/);
  {
    await using server = await startServerProcess(settings);
    assert.match(
      server.stderr(),
      /newest sealing key is not at hand.*keydesk reseal --accept-loss/,
    );
    assert.doesNotMatch(server.stderr(), /not in the data directory/);
  }
  assert.equal((await keydesk(["reseal", "--accept-loss"], settings)).code, 0);
  // What the lost key has signed is signed by no key of the store's any more.
  assert.deepEqual((await checked(settings)).bad.map(({ check }) => check), ["audit-log"]);
  await using server = await startServerProcess(settings);
  assert.match(server.stderr(), /access token is in /);
});

testOnStores(
  "check: a store that waits for `keydesk upgrade` has nothing damaged, at whichever step it stands",
  async ({ engine, settings }) => {
    const more = await copyOldStore(BEFORE_CHECKSUMS, engine, settings.KEYDESK_DATA_DIR ?? "");
    const waiting: Record<string, string> = {
      ...settings,
      ...more,
      KEYDESK_SEALING_KEY: OLD_SEALING_KEY,
      KEYDESK_UPGRADE: "off",
    };
    const location = engine === "postgres"
      ? { url: waiting.KEYDESK_DATABASE_URL ?? "" }
      : { path: join(settings.KEYDESK_DATA_DIR ?? "", "keydesk.db") };
    const newest = migrations.at(-1)?.version ?? 0;
    for (const version of [13, CHECKSUMS_DEMANDED, newest - 1]) {
      const session = await openSession(location);
      await migrateSession(session, migrations.filter((step) => step.version <= version));
      await session.close();
      const { code, stderr, findings, bad } = await checked(waiting);
      assert.deepEqual([code, stderr], [0, ""], `schema ${version}`);
      assert.ok(findings.some(({ check, result }) => check === "references" && result === "ok"));
      assert.deepEqual(bad.filter(({ result }) => !["skip", "warn"].includes(result)), []);
      assert.match(bad.at(-1)?.advice ?? "", /`keydesk upgrade` brings it up to date$/);
    }
  },
);
