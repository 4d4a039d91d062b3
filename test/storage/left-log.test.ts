/**
 * The log that a process left behind is written again before SQLite copies anything of it: by whom,
 * and by whom not.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { rewriteLog } from "../../src/storage/engines/sqlite-log.ts";

interface Files {
  /** The store of a process that goes on. */
  readonly used: string;
  /** The same, as a process left it that was killed. */
  readonly left: string;
}

async function withStores(work: (files: Files) => void | Promise<void>, more = ""): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-left-log-" });
  const used = `${folder}/used.db`;
  const left = `${folder}/left.db`;
  const database = new DatabaseSync(used);
  try {
    database.exec(`pragma journal_mode=wal; create table t (n); ${more}`);
    database.exec("pragma wal_checkpoint(truncate); insert into t values (1), (2)");
    for (const end of ["", "-wal"]) await Deno.copyFile(used + end, left + end);
    await work({ used, left });
  } finally {
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** What was opened, written and flushed beside SQLite. */
function callsBeside(work: () => void): string[] {
  const calls: string[] = [];
  const real = Deno.openSync;
  Deno.openSync = (path, options) => {
    const file = real(path, options);
    const write = file.writeSync.bind(file);
    const sync = file.syncSync.bind(file);
    file.writeSync = (bytes) => {
      calls.push(`write ${bytes.length}`);
      return write(bytes);
    };
    file.syncSync = () => {
      // Before SQLite copies it: nothing of it is in the database yet.
      calls.push(`sync of ${Deno.statSync(path).size}`);
      sync();
    };
    return file;
  };
  try {
    work();
  } finally {
    Deno.openSync = real;
  }
  return calls;
}

const rowsOf = (path: string) => {
  const database = new DatabaseSync(path);
  const rows = database.prepare("select n from t").all().map(({ n }) => n);
  database.close();
  return rows;
};

Deno.test("left log: written again and flushed, then all of it is in the database", async () => {
  await withStores(({ left }) => {
    const { size } = Deno.statSync(`${left}-wal`);
    assert.ok(size > 0);
    assert.deepEqual(callsBeside(() => rewriteLog(left)), [`write ${size}`, `sync of ${size}`]);
    assert.throws(() => Deno.statSync(`${left}-wal`), Deno.errors.NotFound);
    assert.deepEqual(rowsOf(left), [1, 2]);
    assert.deepEqual(callsBeside(() => rewriteLog(left)), [], "there is none");
  });
});

Deno.test("left log: one that somebody uses is left alone, but for Litestream's", async () => {
  await withStores(({ used }) => {
    assert.deepEqual(callsBeside(() => rewriteLog(used)), []);
  });
  await withStores(({ used }) => {
    assert.equal(callsBeside(() => rewriteLog(used)).length, 2);
    assert.deepEqual(rowsOf(used), [1, 2]);
  }, "create table _litestream_seq (id)");
});

Deno.test("left log: where the disk does not take it, nothing of it is copied", async () => {
  await withStores(async ({ left }) => {
    const before = await Deno.readFile(left);
    const log = await Deno.readFile(`${left}-wal`);
    const real = Deno.openSync;
    Deno.openSync = (path, options) => {
      const file = real(path, options);
      file.syncSync = () => {
        throw new Error("Input/output error (os error 5)");
      };
      return file;
    };
    try {
      assert.throws(() => rewriteLog(left), /Input\/output/);
    } finally {
      Deno.openSync = real;
    }
    assert.deepEqual(await Deno.readFile(left), before);
    assert.deepEqual(await Deno.readFile(`${left}-wal`), log);
  });
});

Deno.test("left log: it is found behind a link, and a path without a store has none", async () => {
  await withStores(async ({ left }) => {
    const link = `${left}-link`;
    await Deno.symlink(left, link);
    assert.equal(callsBeside(() => rewriteLog(link)).length, 2);
    assert.deepEqual(callsBeside(() => rewriteLog(`${left}-none`)), []);
    assert.throws(() => Deno.statSync(`${left}-none`), Deno.errors.NotFound);
  });
});
