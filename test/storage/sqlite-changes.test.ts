import assert from "node:assert/strict";
import { SqliteChanges, UNNOTICED_MS } from "../../src/storage/engines/sqlite-changes.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { EVERYTHING, oneRow, rowsOf } from "../../src/storage/touched-rows.ts";
import { withFolder } from "../support/processes.ts";

/**
 * A file, one who writes to it, and the changes that one who reads hears of, by a clock that the
 * test moves.
 */
interface Watched {
  changes: SqliteChanges;
  writer: SqliteConnection;
  /** A commit of this process. */
  commit(parts?: readonly string[]): void;
  /** A commit of another process. */
  commitElsewhere(): Promise<void>;
  pass(ms: number): void;
  /** Until the writing connection has answered. */
  answered(): Promise<void>;
  /** How often the reading and the writing connection were asked. */
  asked: { reader: number; writer: number };
  /** From now on the writing connection answers when it is told to. */
  hold(): () => void;
}

function onFile(promise: string, test: (watched: Watched) => Promise<void>): void {
  Deno.test(`changes: ${promise}`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/store.db`;
      const writer = SqliteConnection.openWriter(path);
      writer.exec("create table kept (a)");
      const reader = SqliteConnection.openReader(path);
      const asked = { reader: 0, writer: 0 };
      let elapsed = 0;
      let held = Promise.resolve();
      let version = writer.dataVersion();
      const othersWrote = async () => {
        asked.writer++;
        await held;
        const before = version;
        version = writer.dataVersion();
        return version !== before;
      };
      const reading = { dataVersion: () => (asked.reader++, reader.dataVersion()) };
      const changes = new SqliteChanges(reading, othersWrote, () => elapsed);
      const watched: Watched = {
        changes,
        writer,
        commit: (parts = rowsOf("plans", "o")) => {
          writer.exec(INSERT);
          changes.changed(parts);
        },
        commitElsewhere: () => inAnotherProcess(path, INSERT),
        pass: (ms) => elapsed += ms,
        answered: () => new Promise((resolve) => setTimeout(resolve, 0)),
        asked,
        hold: () => {
          const { promise, resolve } = Promise.withResolvers<void>();
          held = promise;
          return resolve;
        },
      };
      // What nobody knows the version of: the writing connection is asked.
      changes.holds({ changes: 0, version: NaN }, []);
      await watched.answered();
      await test(watched);
      reader.close();
      writer.close();
    }));
}

const INSERT = "insert into kept values (1)";
const ONE = oneRow("key_requests", "o", "1");
const OTHER = oneRow("key_requests", "o", "2");
const ALL = rowsOf("key_requests", "o");

async function inAnotherProcess(path: string, sql: string): Promise<void> {
  const script = `import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(${JSON.stringify(path)}); db.exec(${
    JSON.stringify(sql)
  }); db.close();`;
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["eval", script] }).output();
  assert.ok(success);
}

onFile("a commit ends what depends on its parts, at once, and nothing else", async (watched) => {
  const { changes, commit, pass, answered } = watched;
  const before = changes.mark();
  commit([ONE[0] ?? "", ALL[0] ?? ""]);
  assert.equal(changes.holds(before, ONE), false);
  assert.equal(changes.holds(before, ALL), false);
  assert.ok(changes.holds(before, OTHER));
  assert.ok(changes.holds(before, rowsOf("key_requests", "another")));
  assert.ok(changes.holds(changes.mark(), ONE));
  pass(UNNOTICED_MS);
  assert.equal(changes.holds(before, OTHER), false, "nobody has said whether others wrote too");
  await answered();
  assert.ok(changes.holds(before, OTHER));
});

onFile("a table of which no row is known ends all of its rows", async ({ changes, commit }) => {
  const before = changes.mark();
  commit(["key_requests"]);
  for (const parts of [ONE, OTHER, ALL, rowsOf("key_requests", "another")]) {
    assert.equal(changes.holds(before, parts), false);
  }
  assert.ok(changes.holds(before, oneRow("developers", "o", "1")));
  await Promise.resolve();
});

onFile("what nobody knows the parts of ends everything", async ({ changes, commit }) => {
  const before = changes.mark();
  commit([EVERYTHING]);
  assert.equal(changes.holds(before, ONE), false);
  assert.equal(changes.holds(before, []), false);
  assert.ok(changes.holds(changes.mark(), ONE));
  await Promise.resolve();
});

onFile("another process's commit ends everything within its time", async (watched) => {
  const { changes, commitElsewhere, pass, answered } = watched;
  const before = changes.mark();
  pass(1);
  await commitElsewhere();
  assert.ok(changes.holds(before, ONE));
  pass(UNNOTICED_MS - 1);
  assert.equal(changes.holds(before, ONE), false);
  await answered();
  assert.equal(changes.holds(before, ONE), false);
  assert.ok(changes.holds(changes.mark(), ONE));
});

onFile(
  "another process's commit between two of this one is not hidden by them",
  async (watched) => {
    const { changes, commit, commitElsewhere, pass, answered } = watched;
    const before = changes.mark();
    commit();
    await commitElsewhere();
    commit();
    pass(UNNOTICED_MS);
    assert.equal(changes.holds(before, ONE), false);
    await answered();
    assert.equal(changes.holds(before, ONE), false);
  },
);

onFile(
  "while the writing connection owes an answer, what is older than its time does not hold",
  async (watched) => {
    const { changes, commit, pass, answered, hold } = watched;
    const before = changes.mark();
    const answer = hold();
    commit();
    pass(UNNOTICED_MS - 1);
    assert.ok(changes.holds(before, ONE));
    pass(1);
    for (let i = 0; i < 3; i++) assert.equal(changes.holds(before, ONE), false);
    answer();
    await answered();
    assert.ok(changes.holds(before, ONE));
  },
);

onFile("meanwhile what was read since the last commit of anybody holds", async (watched) => {
  const { changes, commit, commitElsewhere, pass, hold, answered } = watched;
  const answer = hold();
  commit();
  pass(UNNOTICED_MS);
  const since = changes.mark();
  pass(UNNOTICED_MS);
  assert.ok(changes.holds(since, ONE));
  commit();
  pass(UNNOTICED_MS);
  assert.equal(changes.holds(since, ONE), false);
  const last = changes.mark();
  await commitElsewhere();
  pass(UNNOTICED_MS);
  assert.equal(changes.holds(last, ONE), false);
  answer();
  await answered();
});

onFile("looks that find nothing do not put off the next", async (watched) => {
  const { changes, commitElsewhere, pass } = watched;
  const before = changes.mark();
  await commitElsewhere();
  for (let ms = 0; ms < UNNOTICED_MS; ms++) {
    changes.holds(before, ONE);
    pass(1);
  }
  assert.equal(changes.holds(before, ONE), false);
});

onFile("own commits are never taken for another's, nor logs that begin anew", async (watched) => {
  const { changes, writer, commit, pass, answered } = watched;
  const before = changes.mark();
  for (let i = 0; i < 50; i++) {
    commit();
    if (i % 10 === 0) writer.exec("pragma wal_checkpoint(restart)");
    if (i % 7 === 0) writer.exec(`begin; ${INSERT}; rollback`);
    pass(UNNOTICED_MS);
    changes.holds(before, ONE);
    await answered();
    assert.ok(changes.holds(before, ONE), `commit ${i}`);
  }
});

onFile("more changes than are known end what is older than them", async ({ changes }) => {
  const before = changes.mark();
  changes.changed(["the first"]);
  const after = changes.mark();
  for (let i = 0; i < 4096; i++) changes.changed([`key_requests o ${i + 10}`]);
  assert.equal(changes.holds(before, ONE), false);
  assert.ok(changes.holds(after, ONE));
  await Promise.resolve();
});

onFile(
  "while nobody writes, the reading connection alone is asked, and rarely",
  async (watched) => {
    const { changes, pass, asked } = watched;
    Object.assign(asked, { reader: 0, writer: 0 });
    for (let ms = 0; ms < 100; ms++) {
      pass(1);
      for (let i = 0; i < 10; i++) assert.ok(changes.holds(changes.mark(), ONE));
    }
    assert.equal(asked.writer, 0);
    assert.ok(asked.reader <= 100, `${asked.reader}`);
    await Promise.resolve();
  },
);
