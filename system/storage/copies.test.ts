/**
 * Copies of a store that is written to, by other tools than Keydesk: which of them hold all of it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, run } from "../../test/support/command.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";

const ADMINISTRATOR = "administrator-of-the-copies-of-a-store";
const REQUESTS = "/api/portal/requests";
/** Requests that stand there before a copy begins, and clients that send more meanwhile. */
const BEFORE = 200;
const CLIENTS = 3;

/** How each tool copies `from`, a live store, to `to`. */
const TOOLS = {
  "keydesk backup": (from: string, to: string) =>
    keydesk(["backup", to], { KEYDESK_DATA_DIR: join(from, "..") }),
  "sqlite3 .backup": (from: string, to: string) =>
    run(["sqlite3", from, ".timeout 10000", `.backup ${to}`]),
  "vacuum into": (from: string, to: string) =>
    run(["sqlite3", from, ".timeout 10000", `vacuum into '${to}'`]),
  "cp of the database alone": (from: string, to: string) => run(["cp", from, to]),
};

for (const [tool, copy] of Object.entries(TOOLS)) {
  const isWhole = tool !== "cp of the database alone";
  Deno.test(`copies: ${tool} under load ${isWhole ? "has all that was acknowledged" : "lacks the newest changes"}`, () =>
    withFolder(async (folder) => {
      const dataDir = join(folder, "data");
      await Deno.mkdir(dataDir);
      const to = join(folder, "copy.db");
      const acknowledged: string[] = [];
      {
        await using server = await startServerProcess({
          dataDir,
          environment: { KEYDESK_ADMIN_TOKEN: ADMINISTRATOR },
        });
        while (acknowledged.length < BEFORE) acknowledged.push(await create(server));
        let isOver = false;
        const under = Promise.all(Array.from({ length: CLIENTS }, async () => {
          // What comes while the copy is made may be in it or not.
          while (!isOver) await create(server);
        }));
        const { code, stderr } = await copy(join(dataDir, "keydesk.db"), to);
        isOver = true;
        await under;
        assert.equal(code, 0, stderr);
      }
      await assertCopy(dataDir, to, join(folder, "restored"), acknowledged, isWhole);
    }));
}

/** Restored into an empty folder, with the sealing key beside it. */
async function assertCopy(
  from: string,
  copy: string,
  to: string,
  acknowledged: readonly string[],
  isWhole: boolean,
): Promise<void> {
  await Deno.mkdir(to);
  await Deno.copyFile(join(from, "sealing-key"), join(to, "sealing-key"));
  const restored = await keydesk(["restore", copy], { KEYDESK_DATA_DIR: to });
  if (!isWhole && restored.code !== 0) return;
  assert.equal(restored.code, 0, restored.stderr);
  await using server = await startServerProcess({
    dataDir: to,
    environment: { KEYDESK_ADMIN_TOKEN: ADMINISTRATOR },
  });
  const there: string[] = [];
  for (const id of acknowledged) {
    if ((await server.send("GET", `${REQUESTS}/${id}`)).status === 200) there.push(id);
  }
  if (isWhole) assert.deepEqual(there, acknowledged);
  else assert.ok(there.length < acknowledged.length, `${there.length}`);
}

async function create(server: ServerProcess): Promise<string> {
  const body = { by_user: "d", for_plan: "p", fields: { text: "x".repeat(2000) } };
  const { status, body: { Message } } = await server.send("POST", REQUESTS, { body });
  assert.equal(status, 200);
  return Message;
}
