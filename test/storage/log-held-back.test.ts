/** A log that the database does not take over: what says so, and that it ends by itself. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newSealingKey, parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { localWriter, sqliteStorage } from "../../src/storage/engines/sqlite.ts";
import { SqliteLogCare } from "../../src/storage/engines/sqlite-log-care.ts";
import { migrateStorage } from "../../src/storage/open-storage.ts";
import { noSigns } from "../../src/storage/storage.ts";
import { withFolder } from "../support/processes.ts";
import { insertScratch } from "./conformance/scratch.ts";

const READ = "something reads an old state of the store and holds the log back";

Deno.test("a log that is held back is told once, and that it is not any more", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "keydesk.db");
    await migrateStorage({ path });
    const keys = parseSealingKeys(newSealingKey().trim());
    const limits = { bytes: 0, everyMs: 0, readMs: 0 };
    const told: (string | undefined)[] = [];
    const storage = sqliteStorage(path, localWriter(path, [insertScratch], keys, limits), {
      ...noSigns,
      log: (heldBack) => void told.push(heldBack),
    });
    let n = 0;
    const write = () =>
      storage.commit(insertScratch, { rows: [{ org_id: "org", id: `${n}`, name: `${n++}` }] });
    await write();
    assert.deepEqual(told, []);
    // A copy, or another program: what it reads must stay as it was.
    const reader = new DatabaseSync(path);
    reader.exec("begin; select * from plans");
    await write();
    await write();
    assert.deepEqual(told, [READ]);
    reader.exec("commit");
    reader.close();
    await write();
    assert.deepEqual(told, [READ, undefined]);
    assert.equal(storage.log()?.bytes, 0, "its room is given back");
    await storage.close();
  });
});

Deno.test("whoever reads an old state for less than a minute holds nothing back; what the disk refuses is told at once", () => {
  let now = 0;
  let bytes = 0;
  let takes: boolean | Error = false;
  let tried = 0;
  const takeOver = () => {
    tried++;
    if (takes instanceof Error) throw takes;
    return takes;
  };
  const limits = { bytes: 100, everyMs: 5000, readMs: 60_000 };
  const care = new SqliteLogCare({ bytes: () => bytes, takeOver }, limits, () => now);
  const after = (ms: number) => {
    now += ms;
    return care.look();
  };
  assert.equal(care.look(), undefined);
  bytes = 101;
  assert.equal(after(4000), undefined);
  assert.equal(tried, 0, "looked at every five seconds");
  for (let n = 0; n < 12; n++) assert.equal(after(5000), undefined);
  assert.equal(after(5000), READ);
  takes = true;
  assert.equal(after(5000), undefined);
  takes = false;
  assert.equal(after(5000), undefined, "the minute begins anew");
  takes = Object.assign(new Error("disk"), { code: "ERR_SQLITE_ERROR", errcode: 778 });
  assert.equal(after(5000), "SQLITE_IOERR_WRITE");
  assert.equal(after(1000), "SQLITE_IOERR_WRITE", "as of the last look");
  bytes = 100;
  assert.equal(after(5000), undefined);
});

Deno.test("a database that can't grow while its log can says so by its code", async () => {
  await withFolder(async (folder) => {
    // Files have 200 KB at the most: the log fits, and what the database would be does not.
    const command = `trap '' XFSZ; ulimit -f 400; exec "$0" run -A --no-check "$1" "$2"`;
    const child = new URL("../support/full-database.ts", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", command, Deno.execPath(), child, join(folder, "store.db")],
    }).output();
    const told = new TextDecoder().decode(stdout).trim();
    const failed = new TextDecoder().decode(stderr);
    assert.match(told, /^SQLITE_(FULL|IOERR_WRITE) 2$/, failed);
  });
});

Deno.test("a connection whose database takes everything over says so", async () => {
  await withFolder((folder) => {
    const connection = SqliteConnection.openWriter(join(folder, "store.db"));
    connection.exec("create table t (n)");
    assert.equal(connection.takeOverLog(), true);
    connection.close();
    return Promise.resolve();
  });
});
