/** Kills of a server between a row's commit and its stream. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk } from "../../support/command.ts";
import { effort } from "../../support/effort.ts";
import { type ServerProcess, startServerProcess } from "../../support/processes.ts";
import { testOnStores } from "../../support/unopened-stores.ts";
import { rowsIn } from "./stream-desk.ts";

const CALLERS = 8;

testOnStores(
  "sink: whatever is killed, no row is missing in the file, and log and heads go on",
  async (store) => {
    const path = join(store.folder, "trail.jsonl");
    const environment = {
      ...store.settings,
      KEYDESK_AUDIT_STREAM: `file:${path}`,
      KEYDESK_AUDIT_CHECKPOINTS_FILE: join(store.folder, "heads.txt"),
    };
    const options = { dataDir: store.settings.KEYDESK_DATA_DIR ?? "", environment };
    let n = 0;
    for (let round = 0; round < 2 * effort; round++) {
      await using server = await startServerProcess(options);
      const answered: string[] = [];
      // The kill falls where some were answered and others are under way.
      const enough = 10 + 7 * round;
      const call = async () => {
        for (;;) {
          const body = { email: `one${n++}@example.org` };
          const answer = await server.send("POST", "/v1/developers", { body }).catch(() =>
            undefined
          );
          if (!answer) return;
          assert.equal(answer.status, 200);
          answered.push(answer.body.id);
          if (answered.length === enough) server.kill("SIGKILL");
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, call));
      await server.ended;
      // What was answered stood there before.
      const there = new Set((await rowsIn(path)).map(({ object_id }) => object_id));
      assert.deepEqual(answered.filter((id) => !there.has(id)), []);
      await using next = await startServerProcess(options);
      const placed = new Set((await rowsIn(path)).map(({ id }) => id));
      assert.deepEqual((await auditLogOf(next)).filter((id) => !placed.has(id)), []);
      // Whatever of row, log and heads the kill fell between: they go on from one another.
      const verified = await keydesk(["audit", "verify"], environment);
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
      assert.doesNotMatch(next.output(), /problem begins/);
    }
  },
);

/** The ids of every row. */
async function auditLogOf(server: ServerProcess): Promise<string[]> {
  const ids: string[] = [];
  let behind = "";
  do {
    const { status, body } = await server.send("GET", `/v1/audit-log?limit=100${behind}`);
    assert.equal(status, 200, JSON.stringify(body));
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    behind = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
  } while (behind !== "");
  return ids;
}
