import assert from "node:assert/strict";
import { ChangeMark, UNNOTICED_MS } from "../../src/storage/engines/sqlite-change-mark.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { withFolder } from "../support/processes.ts";

/** A file, one who writes to it, and the mark of one who reads, by a clock that stands until the test moves it. */
interface Marked {
  mark: ChangeMark;
  /** A commit of this process. */
  commit(): Promise<void>;
  /** A commit of another process. */
  commitElsewhere(): Promise<void>;
  pass(ms: number): void;
  writer: SqliteConnection;
  asked(): number;
}

function onFile(promise: string, test: (marked: Marked) => Promise<void>): void {
  Deno.test(`change mark: ${promise}`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/store.db`;
      const writer = SqliteConnection.openWriter(path);
      writer.exec("create table kept (a)");
      const reader = SqliteConnection.openReader(path);
      let [elapsed, asked] = [0, 0];
      const connection = { dataVersion: () => (asked++, reader.dataVersion()) };
      const mark = new ChangeMark(connection, () => elapsed);
      await test({
        mark,
        writer,
        commit: () => mark.through(() => Promise.resolve(writer.exec(INSERT))),
        commitElsewhere: () => inAnotherProcess(path, INSERT),
        pass: (ms) => elapsed += ms,
        asked: () => asked,
      });
      reader.close();
      writer.close();
    }));
}

const INSERT = "insert into kept values (1)";

async function inAnotherProcess(path: string, sql: string): Promise<void> {
  const script = `import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(${JSON.stringify(path)}); db.exec(${
    JSON.stringify(sql)
  }); db.close();`;
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["eval", script] }).output();
  assert.ok(success);
}

onFile("each commit of this process gives another mark at once", async ({ mark, commit }) => {
  const seen = new Set([mark.now()]);
  for (let i = 0; i < 1000; i++) {
    await commit();
    const now = mark.now();
    assert.ok(!seen.has(now), `commit ${i} gave a mark that was there before`);
    seen.add(now);
    assert.equal(mark.now(), now);
  }
});

onFile("what is not committed gives no other mark", async ({ mark, writer, pass }) => {
  const before = mark.now();
  writer.exec(`begin; ${INSERT}`);
  pass(UNNOTICED_MS);
  assert.equal(mark.now(), before);
  writer.exec("rollback");
  await mark.through(() => Promise.resolve());
  assert.equal(mark.now(), before);
});

onFile("a commit of another process gives another mark within its time", async (marked) => {
  const { mark, commitElsewhere, pass } = marked;
  const before = mark.now();
  pass(UNNOTICED_MS - 1);
  await commitElsewhere();
  assert.equal(mark.now(), before);
  pass(1);
  assert.notEqual(mark.now(), before);
});

onFile("looks that find nothing do not put off the next", async (marked) => {
  const { mark, commitElsewhere, pass } = marked;
  const before = mark.now();
  await commitElsewhere();
  for (let ms = 1; ms < UNNOTICED_MS; ms++) {
    pass(1);
    assert.equal(mark.now(), before);
  }
  pass(1);
  assert.notEqual(mark.now(), before);
});

onFile("a log that begins anew hides no commit", async ({ mark, commit, writer }) => {
  await commit();
  writer.exec("pragma wal_checkpoint(restart)");
  const checkpointed = mark.now();
  await commit();
  assert.notEqual(mark.now(), checkpointed);
});

onFile("a commit whose answer was lost counts", async ({ mark, writer }) => {
  const before = mark.now();
  const lost = mark.through(() => {
    writer.exec(INSERT);
    return Promise.reject(new Error("the writer thread died"));
  });
  await assert.rejects(lost, /died/);
  assert.notEqual(mark.now(), before);
});

onFile("the connection is asked once in that time, and once after a commit", async (marked) => {
  const { mark, commit, pass, asked } = marked;
  for (let i = 0; i < 100; i++) mark.now();
  assert.equal(asked(), 1);
  await commit();
  for (let i = 0; i < 100; i++) mark.now();
  assert.equal(asked(), 2);
  for (let ms = 0; ms < 10 * UNNOTICED_MS; ms++) {
    pass(1);
    mark.now();
  }
  assert.equal(asked(), 12);
});
