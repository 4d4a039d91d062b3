/**
 * The disk of a real server fails, by its system calls: what is answered, what is told, and how it
 * ends.
 */
import assert from "node:assert/strict";
import { eventually } from "../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { failCalls } from "../support/faults.ts";

const PATH = "/api/portal/requests";
const WRITES = ["pwrite64", "pwritev", "ftruncate", "fallocate"];
const FLUSHES = ["fsync", "fdatasync"];
const READS = ["pread64", "preadv"];
const LOOKS = ["statx", "newfstatat", "stat"];

async function create(server: ServerProcess) {
  const body = { by_user: "d", for_plan: "p", fields: { text: "x".repeat(20_000) } };
  return await server.send("POST", PATH, { body });
}

const statusOf = async (server: ServerProcess, path: string) =>
  (await server.send("GET", path)).status;

/** How often a problem is told, by the words of its line. */
const told = (server: ServerProcess, words: string) =>
  server.output().split("\n").filter((line) => line.includes(words)).length;

Deno.test("a full disk: changes and /readyz are 503, the rest goes on, and all by itself when there is room", async () => {
  await withFolder(async (dataDir) => {
    await using server = await startServerProcess({ dataDir });
    const { body: { Message: id } } = await create(server);
    const log = `${dataDir}/keydesk.db-wal`;
    const fault = await failCalls(server.pid, WRITES, "ENOSPC", [log]);
    assert.equal((await create(server)).status, 503);
    // Nobody sends a change any more.
    await eventually("five seconds", async () => await statusOf(server, "/readyz") === 503);
    const { body: { Errors } } = await server.send("GET", "/readyz");
    assert.match(
      Errors.join("; "),
      /writes_fail since .*failed \(SQLITE_FULL\) \d+ s ago/,
    );
    assert.equal(await statusOf(server, "/readyz?for=verify"), 200);
    assert.equal(await statusOf(server, `${PATH}/${id}`), 200);
    await fault.mend();
    await eventually("there is room again", async () => await statusOf(server, "/readyz") === 200);
    assert.equal((await create(server)).status, 200);
    server.kill("SIGTERM");
    assert.equal((await server.ended).code, 0, "the process was never started again");
    assert.equal(told(server, '"msg":"problem begins"'), 1, server.output());
    assert.equal(told(server, '"msg":"problem ends"'), 1);
  });
});

for (const [what, calls] of [["a write", WRITES], ["a flush", FLUSHES]] as const) {
  Deno.test(`EIO of ${what}: nothing more is acknowledged, the process ends, and nothing is missing afterwards`, async () => {
    await withFolder(async (dataDir) => {
      const acknowledged: string[] = [];
      {
        await using server = await startServerProcess({ dataDir });
        for (let n = 0; n < 20; n++) acknowledged.push((await create(server)).body.Message);
        const log = `${dataDir}/keydesk.db-wal`;
        const fault = await failCalls(server.pid, calls, "EIO", [log]);
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => create(server).catch(() => undefined)),
        );
        assert.ok(answers.every((answer) => answer === undefined || answer.status === 503));
        assert.equal((await server.ended).code, 74, server.output());
        await fault.mend();
        assert.match(server.output(), /fails: SQLITE_IOERR_(WRITE|FSYNC) \(EIO\)/);
        assert.equal(told(server, '"problem":"store_untrusted"'), 1);
      }
      await using server = await startServerProcess({ dataDir });
      for (const id of acknowledged) assert.equal(await statusOf(server, `${PATH}/${id}`), 200);
    });
  });
}

Deno.test("EIO of a read: 500, counted, and no reason to end", async () => {
  await withFolder(async (dataDir) => {
    await (await startServerProcess({ dataDir }))[Symbol.asyncDispose]();
    const ids: string[] = [];
    {
      await using first = await startServerProcess({ dataDir });
      for (let n = 0; n < 20; n++) ids.push((await create(first)).body.Message);
      first.kill("SIGTERM");
      await first.ended;
    }
    await using server = await startServerProcess({ dataDir });
    assert.equal(await statusOf(server, `${PATH}/${ids[0]}`), 200);
    const fault = await failCalls(server.pid, READS, "EIO", [`${dataDir}/keydesk.db`]);
    // Pages that nobody has read yet.
    const failed = await server.send("GET", `${PATH}/${ids[10]}`);
    await fault.mend();
    assert.equal(failed.status, 500);
    assert.doesNotMatch(JSON.stringify(failed.body), /sqlite|disk/i);
    const { body } = await server.send("GET", "/v1/server");
    assert.ok(body.failed_reads >= 1);
    assert.equal(await statusOf(server, `${PATH}/${ids[10]}`), 200);
    assert.equal(await statusOf(server, "/readyz"), 200);
  });
});

for (const error of ["EIO", "ESTALE"]) {
  Deno.test(`a volume that is gone (${error}): noticed while nobody writes, and the process ends`, async () => {
    await withFolder(async (dataDir) => {
      await using server = await startServerProcess({ dataDir });
      assert.equal((await create(server)).status, 200);
      const fault = await failCalls(server.pid, LOOKS, error, [`${dataDir}/keydesk.db`]);
      assert.equal((await server.ended).code, 66, server.output());
      await fault.mend();
      assert.match(server.output(), /is lost: the database file can't be found any more \(/);
    });
  });
}
