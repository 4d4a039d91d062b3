/** What an operator is told when the surroundings fail: what, where, why; no stack; exit code 1. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { readConfig } from "../../src/config.ts";
import { openingStore } from "../../src/cli/operator-error.ts";
import { type Ended, keydesk, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";

Deno.test("problem: a data directory that is a file", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/file`;
  await Deno.writeTextFile(file, "");
  const ended = await keydesk(["serve"], { KEYDESK_DATA_DIR: file });
  assertTold(ended, new RegExp(`can't open the store in ${file} \\(KEYDESK_DATA_DIR\\): `));
});

Deno.test("problem: a data directory that can't be made", async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/file`;
  await Deno.writeTextFile(file, "");
  const ended = await keydesk(["token", "list"], { KEYDESK_DATA_DIR: `${file}/below` });
  assertTold(ended, /can't open the store in .*\/file\/below \(KEYDESK_DATA_DIR\): /);
});

Deno.test("problem: an I/O error of SQLite on a disk without room is told as that", async () => {
  await using folder = await temporaryFolder();
  const config = readConfig({ KEYDESK_DATA_DIR: folder.path });
  const failing = () => openingStore(config, () => Promise.reject(new Error("disk I/O error")));
  await assert.rejects(failing, /: disk I\/O error$/);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  const { writeFile } = Deno;
  // The disk is full.
  Deno.writeFile = () => Promise.reject(new Error("No space left on device (os error 28)"));
  try {
    await assert.rejects(failing, /\(KEYDESK_DATA_DIR\): no room is left on its disk/);
  } finally {
    Deno.writeFile = writeFile;
  }
});

Deno.test("problem: a database file that is none", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/keydesk.db`, "no database at all".repeat(100));
  const ended = await keydesk(["serve"], { KEYDESK_DATA_DIR: folder.path });
  assertTold(ended, /\(KEYDESK_DATA_DIR\): file is not a database/);
});

Deno.test("problem: a schema that only newer code can serve", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  const db = new DatabaseSync(`${folder.path}/keydesk.db`);
  db.exec("insert into schema_versions values (999, 'later', 999, '2100-01-01T00:00:00.000Z')");
  db.close();
  for (const words of [["serve"], ["token", "list"]]) {
    const ended = await keydesk(words, settings);
    assertTold(ended, /the store has schema 999, which needs code of schema 999 or later/);
  }
});

Deno.test("problem: a database server that is away, without its password", async () => {
  const settings = {
    KEYDESK_DATABASE_URL: "postgres://user:secret-password@127.0.0.1:1/keydesk",
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  };
  for (const words of [["serve"], ["token", "list"]]) {
    const ended = await keydesk(words, settings);
    assertTold(ended, /the database at 127\.0\.0\.1:1 \(KEYDESK_DATABASE_URL\): .*ECONNREFUSED/);
    assert.ok(!ended.stderr.includes("secret-password"));
  }
});

Deno.test("problem: a database URL that can't be read is not repeated", async () => {
  const ended = await keydesk(["token", "list"], {
    KEYDESK_DATABASE_URL: "postgres://user:secret/password@host:port/keydesk",
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  });
  assert.equal(ended.code, 78);
  assert.match(ended.stderr, /KEYDESK_DATABASE_URL: is no URL/);
  assert.doesNotMatch(ended.stderr, /secret|password@/);
});

Deno.test("problem: an address that is not this machine's", async () => {
  await using folder = await temporaryFolder();
  // 192.0.2.0/24 is for documentation; no machine has it.
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_HOST: "192.0.2.1" };
  const ended = await keydesk(["serve"], settings);
  assertTold(ended, /can't listen on 192\.0\.2\.1 port 3000 \(KEYDESK_HOST, KEYDESK_PORT\): /);
});

function assertTold({ code, stdout, stderr }: Ended, sentence: RegExp): void {
  assert.equal(code, 1, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, sentence);
  assert.match(stderr, /^keydesk: [^\n]*\n$/);
}
