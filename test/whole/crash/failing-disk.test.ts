/**
 * A disk that does not take what is written: the process ends rather than trust what the system
 * remembers of it.
 */
import assert from "node:assert/strict";
import { startServerProcess, withFolder } from "../../support/processes.ts";

const PATH = "/api/portal/requests";

Deno.test("a write that the disk refuses ends the process; what was answered as done is there afterwards", async () => {
  await withFolder(async (dataDir) => {
    // So that the limit holds for the log alone.
    await (await startServerProcess({ dataDir }))[Symbol.asyncDispose]();
    const acknowledged: string[] = [];
    // 3 MiB for each file. SQLite tells a file that is too large from a full disk: it is EIO to it.
    const under = ["sh", "-c", 'trap "" XFSZ; ulimit -f 6144; exec "$@"', "sh"];
    {
      await using server = await startServerProcess({ dataDir, under });
      const client = async () => {
        for (;;) {
          const body = { by_user: "d", for_plan: "p", fields: { text: "x".repeat(20_000) } };
          const answer = await server.send("POST", PATH, { body }).catch(() => undefined);
          if (answer?.status !== 200) return answer?.status;
          acknowledged.push(answer.body.Message);
        }
      };
      const statuses = await Promise.all(Array.from({ length: 8 }, client));
      assert.ok(statuses.every((status) => status === 503 || status === undefined));
      assert.equal((await server.ended).code, 74, server.output());
      assert.match(
        server.output(),
        /the disk of the store in .* fails: SQLITE_IOERR_WRITE \(EIO\)\. Every change/,
      );
      const begins = server.output().match(/"problem":"store_untrusted"/g);
      assert.equal(begins?.length, 1);
    }
    assert.ok(acknowledged.length > 10, `${acknowledged.length}`);
    await using server = await startServerProcess({ dataDir });
    for (const id of acknowledged) {
      assert.equal((await server.send("GET", `${PATH}/${id}`)).status, 200, id);
    }
  });
});

Deno.test("a store that is moved away ends the process, and the next start makes no other", async () => {
  await withFolder(async (folder) => {
    const dataDir = `${folder}/data`;
    const acknowledged: string[] = [];
    {
      await using server = await startServerProcess({ dataDir });
      let moved = false;
      const client = async () => {
        for (;;) {
          const sentAfter = moved;
          const body = { by_user: "d", for_plan: "p" };
          const answer = await server.send("POST", PATH, { body }).catch(() => undefined);
          if (answer?.status !== 200) return;
          assert.ok(!sentAfter, "what was sent after the move was answered as done");
          acknowledged.push(answer.body.Message);
        }
      };
      const clients = Array.from({ length: 8 }, client);
      while (acknowledged.length < 100) await new Promise((resolve) => setTimeout(resolve, 1));
      await Deno.rename(`${dataDir}/keydesk.db`, `${dataDir}/elsewhere.db`);
      moved = true;
      await Promise.all(clients);
      assert.equal((await server.ended).code, 66, server.output());
      assert.match(
        server.output(),
        /the store in .*data \(KEYDESK_DATA_DIR\) is lost: the database file is not at its place any more/,
      );
    }
    await assert.rejects(
      startServerProcess({ dataDir }),
      /ended with 78: .*keydesk\.db is missing/,
    );
    await Deno.rename(`${dataDir}/elsewhere.db`, `${dataDir}/keydesk.db`);
    await using server = await startServerProcess({ dataDir });
    for (const id of acknowledged) {
      assert.equal((await server.send("GET", `${PATH}/${id}`)).status, 200, id);
    }
  });
});
