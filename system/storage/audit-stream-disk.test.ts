/** The disk of the audit log stream: full, and no longer to be written to. */
import assert from "node:assert/strict";
import { run } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { rowsIn } from "../../test/maintenance/audit-stream/stream-desk.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";

/** What takes the place away from the server, and what gives it back. */
interface Loss {
  readonly reason: RegExp;
  take(disk: SmallDisk, file: string): Promise<void>;
  giveBack(disk: SmallDisk, file: string): Promise<void>;
}

const LOSSES: Readonly<Record<string, Loss>> = {
  "is full": {
    reason: /os error 28/,
    take: (disk) => disk.fill(),
    giveBack: (disk) => disk.clear(),
  },
  "does not let it write any more": {
    reason: /os error 1\b|denied|permitted/i,
    // Of root too nobody writes to what can't be changed.
    take: (_, file) => succeed("chattr", "+i", file),
    giveBack: (_, file) => succeed("chattr", "-i", file),
  },
};

for (const [what, { reason, take, giveBack }] of Object.entries(LOSSES)) {
  Deno.test(`sink: its disk ${what}: deeds are refused, and no row is missing afterwards`, async () => {
    await using disk = await mountSmallDisk(16);
    await withFolder(async (dataDir) => {
      const file = `${disk.folder}/trail.jsonl`;
      const environment = { KEYDESK_AUDIT_STREAM: `file:${file}` };
      await using server = await startServerProcess({ dataDir, environment });
      let n = 0;
      const deed = () =>
        server.send("POST", "/v1/developers", { body: { email: `one${n++}@example.org` } });
      assert.equal((await deed()).status, 200);
      await take(disk, file);
      // What the last block of the file has room for is taken yet.
      await eventually("it is away", async () => (await deed()).status === 503);
      const refused = await deed();
      assert.equal(refused.body.code, "audit_stream_unavailable", JSON.stringify(refused.body));
      assert.match(await problemOf(server), reason);
      await giveBack(disk, file);
      await eventually("it takes rows", async () => (await deed()).status === 200);
      const there = new Set((await rowsIn(file)).map(({ object_id }) => object_id));
      const { body: { data } } = await server.send("GET", "/v1/developers?limit=100");
      assert.ok(data.length > 2);
      assert.deepEqual(data.filter(({ id }: { id: string }) => !there.has(id)), []);
    });
  });
}

async function problemOf(server: ServerProcess): Promise<string> {
  const { body: { problems } } = await server.send("GET", "/v1/server");
  assert.deepEqual(problems.map(({ name }: { name: string }) => name), ["audit_stream_away"]);
  return problems[0].reason;
}

async function succeed(...command: string[]): Promise<void> {
  const { code, stderr } = await run(command);
  assert.equal(code, 0, stderr);
}
