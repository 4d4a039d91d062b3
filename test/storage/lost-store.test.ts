/**
 * A store whose files are taken away beneath a running desk: nothing more is acknowledged, and it
 * is said.
 */
import assert from "node:assert/strict";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { openWithFiles } from "../../src/storage/engines/sqlite-files.ts";
import { eventually } from "../support/eventually.ts";
import { create, REQUESTS, smallRequest } from "../support/key-requests.ts";
import type { TestDesk } from "../support/desk.ts";
import { testOnWriters } from "../support/writers.ts";

/** What may happen to the files, and how the reason begins that is told. */
const losses: Readonly<
  Record<string, { reason: RegExp; happen(path: string): Promise<void> }>
> = {
  "the database is removed": {
    reason: /^the database file is not at its place any more$/,
    happen: (path) => Deno.remove(path),
  },
  "another database takes its place": {
    reason: /^the database file was replaced by another$/,
    happen: async (path) => {
      await Deno.copyFile(path, `${path}.copy`);
      await Deno.rename(`${path}.copy`, path);
    },
  },
  "the folder is moved": {
    reason: /^the database file is not at its place any more$/,
    happen: async (path) => {
      const folder = path.slice(0, path.lastIndexOf("/"));
      await Deno.rename(folder, `${folder}.moved`);
      await Deno.mkdir(folder);
    },
  },
  "its log is removed": {
    reason: /^the database's log is not at its place any more$/,
    happen: (path) => Deno.remove(`${path}-wal`),
  },
  "its log is replaced": {
    reason: /^the database's log was replaced by another$/,
    happen: async (path) => {
      await Deno.copyFile(`${path}-wal`, `${path}.copy`);
      await Deno.rename(`${path}.copy`, `${path}-wal`);
    },
  },
  "its shared memory is removed": {
    reason: /^the database's shared memory is not at its place any more$/,
    happen: (path) => Deno.remove(`${path}-shm`),
  },
  "the path leads nowhere": {
    reason: /^the database file can't be found any more \(ENOTDIR\)$/,
    happen: async (path) => {
      const folder = path.slice(0, path.lastIndexOf("/"));
      await Deno.rename(folder, `${folder}.moved`);
      await Deno.writeTextFile(folder, "");
    },
  },
};

const ready = (desk: TestDesk, query = "") =>
  desk.send("GET", `/readyz${query}`, { credential: null });

for (const [what, { reason, happen }] of Object.entries(losses)) {
  testOnWriters(`where ${what} the next change is not acknowledged`, async (desk) => {
    await create(desk, smallRequest());
    await happen(desk.config.databaseFile);
    try {
      // The very next change: whoever looks now and then has not looked yet.
      const answers = await Promise.all(
        [1, 2, 3].map(() => desk.send("POST", REQUESTS, { body: smallRequest() })),
      );
      assert.deepEqual(answers.map(({ status }) => status), [503, 503, 503]);
      for (const query of ["", "?for=verify"]) {
        const answer = await ready(desk, query);
        assert.equal(answer.status, 503);
        assert.match(JSON.stringify(await answer.json()), /store_lost since /);
      }
      const [problem, ...others] = desk.app.ctx.problems.current();
      assert.deepEqual(others, []);
      assert.match(problem?.reason ?? "", reason);
      const lines = desk.logLines.filter((line) => line.includes("problem begins"));
      assert.equal(lines.length, 1);
      // Put back or not: what this process does next would stand in nothing.
      assert.equal((await desk.send("POST", REQUESTS, { body: smallRequest() })).status, 503);
    } finally {
      await restore(desk.config.databaseFile);
    }
  });

  testOnWriters(`where ${what} it is noticed while nobody writes`, async (desk) => {
    await happen(desk.config.databaseFile);
    try {
      await eventually(what, async () => (await ready(desk)).status === 503);
      assert.match(desk.app.ctx.problems.current()[0]?.reason ?? "", reason);
    } finally {
      await restore(desk.config.databaseFile);
    }
  });
}

/**
 * Where the folder was moved: what stands in its place goes, so that the desk's own can be removed.
 */
async function restore(path: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/"));
  const moved = await Deno.stat(`${folder}.moved`).catch(() => undefined);
  if (!moved) return;
  await Deno.remove(folder, { recursive: true });
  await Deno.rename(`${folder}.moved`, folder);
}

testOnWriters("nothing is told of files that stay where they are", async (desk) => {
  for (let n = 0; n < 50; n++) await create(desk, smallRequest());
  assert.equal((await ready(desk)).status, 200);
  assert.deepEqual(desk.app.ctx.problems.current(), []);
});

Deno.test("a database that is a link: its log stands beside what it leads to, and all three are watched", async () => {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-link-" });
  try {
    await Deno.mkdir(`${folder}/real`);
    const made = SqliteConnection.openWriter(`${folder}/real/there.db`);
    made.exec("create table t (x)");
    made.close();
    await Deno.symlink(`${folder}/real/there.db`, `${folder}/here.db`);
    const { opened, files } = openWithFiles(
      `${folder}/here.db`,
      () => SqliteConnection.openWriter(`${folder}/here.db`),
    );
    try {
      opened.exec("insert into t values (1)");
      assert.equal(files.lost(), undefined);
      assert.ok(files.log().bytes > 0);
      await Deno.remove(`${folder}/real/there.db-wal`);
      assert.match(files.lost() ?? "", /^the database's log is not at its place/);
      await Deno.remove(`${folder}/here.db`);
      assert.match(files.lost() ?? "", /^the database file is not at its place/);
    } finally {
      opened.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a database that was emptied is lost", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/keydesk.db`;
  await Deno.writeTextFile(path, "");
  const { opened, files } = openWithFiles(path, () => SqliteConnection.openWriter(path));
  try {
    assert.equal(files.lost(), undefined);
    await Deno.truncate(path);
    assert.equal(files.lost(), "the database file was emptied");
  } finally {
    opened.close();
    await Deno.remove(folder, { recursive: true });
  }
});
