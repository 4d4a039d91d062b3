import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { WalIndex } from "../../src/storage/engines/sqlite-wal-index.ts";
import { withFolder } from "../support/processes.ts";

function onStore(
  promise: string,
  test: (index: WalIndex, writer: SqliteConnection, path: string) => void | Promise<void>,
): void {
  Deno.test(`wal index: ${promise}`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/store.db`;
      const writer = SqliteConnection.openWriter(path);
      writer.exec("create table kept (a)");
      const reader = SqliteConnection.openReader(path);
      reader.dataVersion();
      const index = WalIndex.open(path);
      assert.ok(index, "on Linux the index can be read");
      await test(index, writer, path);
      reader.close();
      writer.close();
      index.close();
    }));
}

/** Runs SQL in a process of its own. */
async function inAnotherProcess(path: string, sql: string): Promise<void> {
  const script = `import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(Deno.args[0]); db.exec(Deno.args[1]); db.close();`;
  const file = `${path}.script.ts`;
  await Deno.writeTextFile(file, script);
  const args = ["run", "-A", "--no-config", file, path, sql];
  const { success } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success);
}

onStore("each commit gives another mark, nothing else does", (index, writer) => {
  const seen = new Set([index.mark()]);
  for (let i = 0; i < 1000; i++) {
    writer.exec(`insert into kept values (${i})`);
    const mark = index.mark();
    assert.ok(!seen.has(mark), `commit ${i} gave a mark that was there before`);
    seen.add(mark);
    assert.equal(index.mark(), mark);
  }
  const last = index.mark();
  writer.exec("begin; insert into kept values (0)");
  assert.equal(index.mark(), last, "nothing is committed yet");
  writer.exec("rollback");
  assert.equal(index.mark(), last);
});

onStore(
  "a commit of another process counts, and so does the first of a log that begins anew",
  async (
    index,
    writer,
    path,
  ) => {
    const before = index.mark();
    await inAnotherProcess(path, "insert into kept values (1)");
    const after = index.mark();
    assert.notEqual(after, before);
    writer.exec("pragma wal_checkpoint(restart)");
    const checkpointed = index.mark();
    writer.exec("insert into kept values (2)");
    assert.notEqual(index.mark(), checkpointed);
  },
);

onStore(
  "the last of several who look at one file closes it, so that no lock is lost before",
  async (
    index,
    writer,
    path,
  ) => {
    WalIndex.open(path)?.close();
    // The file's locks are still held: a process that opens it now is not the first, and leaves the index alone.
    writer.exec("begin immediate");
    const other = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        `import { DatabaseSync } from "node:sqlite";
      new DatabaseSync(${JSON.stringify(path)}).exec("begin immediate")`,
      ],
      stderr: "piped",
    });
    const { success, stderr } = await other.output();
    assert.equal(success, false);
    assert.match(new TextDecoder().decode(stderr), /database is locked/);
    writer.exec("rollback");
    assert.equal(typeof index.mark(), "number");
  },
);

Deno.test("wal index: none of what is no database with a log", () =>
  withFolder(async (folder) => {
    assert.equal(WalIndex.open(`${folder}/absent.db`), undefined);
    const plain = new DatabaseSync(`${folder}/plain.db`);
    plain.exec("create table kept (a)");
    assert.equal(WalIndex.open(`${folder}/plain.db`), undefined);
    plain.close();
    await Deno.writeTextFile(`${folder}/text.db`, "");
    await Deno.writeTextFile(`${folder}/text.db-shm`, "x".repeat(100));
    assert.equal(WalIndex.open(`${folder}/text.db`), undefined);
  }));
