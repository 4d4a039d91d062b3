/**
 * Litestream beside a server on SQLite: killed together under load, restored to the end and to a
 * point in time.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk, repository, run } from "../../test/support/command.ts";
import { effort } from "../../test/support/effort.ts";
import { eventually } from "../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { pythonPackages } from "../support/downloads.ts";

const CONNECTIONS = 4;
/**
 * Requests of a part: with their text, more than Litestream lets stand in the log before it is
 * written back.
 */
const PART = 500;
const TEXT = "x".repeat(6000);

Deno.test("litestream: killed with the server under load, what was synced is restored, at the end and at a point in time", async () => {
  const program = Deno.env.get("LITESTREAM") ?? join(await litestream(), "bin/litestream");
  for (let round = 0; round < effort; round++) {
    await withFolder((folder) => drill(program, folder));
  }
});

async function drill(program: string, folder: string): Promise<void> {
  const data = join(folder, "data");
  await Deno.mkdir(data);
  const config = join(folder, "litestream.yml");
  const socket = join(folder, "socket");
  await Deno.writeTextFile(
    config,
    `socket:\n  enabled: true\n  path: ${socket}\ndbs:\n  - path: ${data}/keydesk.db\n` +
      `    replica:\n      type: file\n      path: ${folder}/replica\n`,
  );
  const tool = async (...words: string[]) => {
    const ended = await run([program, ...words]);
    assert.equal(ended.code, 0, `${words.join(" ")}: ${ended.stdout}${ended.stderr}`);
    return ended.stdout;
  };
  const restored = async (to: string, ...words: string[]) => {
    const began = performance.now();
    await Deno.mkdir(to);
    await tool(
      "restore",
      "-config",
      config,
      "-integrity-check",
      "full",
      ...words,
      "-o",
      join(to, "keydesk.db"),
      join(data, "keydesk.db"),
    );
    return performance.now() - began;
  };
  const syncWords = ["sync", "-wait", "-socket", socket, join(data, "keydesk.db")];
  const sync = () => tool(...syncWords);
  const acknowledged: Acknowledged[] = [];
  const part = (name: string, server: ServerProcess) => write(server, name, acknowledged);

  // Before Litestream is there, and after it was away: it finds a log that somebody else wrote
  // back.
  {
    await using server = await startServerProcess({ dataDir: data });
    await part("alone", server).ended;
    server.kill("SIGTERM");
    await server.ended;
  }
  const replica = new Deno.Command(program, {
    args: ["replicate", "-config", config],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  // Started behind Litestream, the server leaves it to that to write the log back.
  await eventually("the replica listens", () => exists(socket));
  await eventually(
    "the first replication",
    async () => (await run([program, ...syncWords])).code === 0,
  );
  const server = await startServerProcess({ dataDir: data });
  try {
    await part("first", server).ended;
    await sync();
    const point = new Date();
    // What comes now is later than the point, by a clock that counts milliseconds.
    await eventually("the point is over", () => Promise.resolve(Date.now() > point.getTime() + 1));
    const before = [...acknowledged];
    await part("second", server).ended;
    const under = part("third", server);
    await eventually(
      "more changes are acknowledged",
      () => Promise.resolve(acknowledged.length >= before.length + PART + 50),
    );
    const known = [...acknowledged];
    await sync();
    Deno.kill(replica.pid, "SIGKILL");
    server.kill("SIGKILL");
    await replica.status;
    await server.ended;
    const sizes = await Promise.all(
      ["", "-wal"].map((end) => Deno.stat(`${data}/keydesk.db${end}`)),
    );
    await under.ended;
    const late = acknowledged.length - known.length;

    // What the disk itself kept: nothing that was acknowledged is gone.
    {
      await using again = await startServerProcess({ dataDir: data });
      await assertThere(again, acknowledged);
    }
    const end = join(folder, "end");
    const tookMs = await restored(end);
    const atPoint = join(folder, "point");
    await restored(atPoint, "-timestamp", point.toISOString());
    for (const place of [end, atPoint]) {
      await Deno.copyFile(join(data, "sealing-key"), join(place, "sealing-key"));
      const copy = await keydesk(["backup", `${place}.db`, "--json"], { KEYDESK_DATA_DIR: place });
      assert.equal(copy.code, 0, copy.stderr);
    }
    const credential = server.credential;
    {
      await using there = await startServerProcess({
        dataDir: end,
        environment: { KEYDESK_ADMIN_TOKEN: credential },
      });
      await assertThere(there, known);
    }
    await using then = await startServerProcess({
      dataDir: atPoint,
      environment: { KEYDESK_ADMIN_TOKEN: credential },
    });
    await assertThere(then, before);
    const after = acknowledged.filter((one) => !before.includes(one));
    const [first] = after;
    assert.ok(first);
    assert.equal((await then.send("GET", `/api/portal/requests/${first.id}`)).status, 404);
    // It goes on from there.
    await write(then, "on", []).ended;
    console.log(
      `litestream: ${acknowledged.length} acknowledged, ${late} after the last sync began; at the kill ` +
        `${megabytes(sizes)} MB of database and log; restored in ${(tookMs / 1000).toFixed(1)} s`,
    );
  } finally {
    await server[Symbol.asyncDispose]();
    killed(replica.pid);
  }
}

function killed(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

interface Acknowledged {
  id: string;
  secret: string;
}

/** Sends requests until there are enough, or the server is gone. */
function write(server: ServerProcess, name: string, acknowledged: Acknowledged[]) {
  const one = async (n: number) => {
    const secret = `${name}-${n}`;
    const body = {
      by_user: `dev-${n % 7}`,
      for_plan: "plan",
      fields: { text: TEXT, jwt_secret: secret },
    };
    const answer = await server.send("POST", "/api/portal/requests", { body }).catch(() =>
      undefined
    );
    if (!answer) return false;
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    acknowledged.push({ id: answer.body.Message, secret });
    return true;
  };
  const connection = async (c: number) => {
    for (let n = c; n < PART; n += CONNECTIONS) if (!await one(n)) return;
  };
  return { ended: Promise.all(Array.from({ length: CONNECTIONS }, (_, c) => connection(c))) };
}

async function assertThere(server: ServerProcess, wanted: readonly Acknowledged[]): Promise<void> {
  const missing: string[] = [];
  for (const { id, secret } of wanted) {
    const { status, body } = await server.send("GET", `/api/portal/requests/${id}`);
    if (status !== 200 || !JSON.stringify(body).includes(`"${secret}"`)) missing.push(secret);
  }
  assert.deepEqual(missing, []);
}

function megabytes(files: readonly Deno.FileInfo[]): string {
  return files.map(({ size }) => (size / 1e6).toFixed(1)).join(" and ");
}

function litestream(): Promise<string> {
  return pythonPackages("litestream", join(repository, "system/storage/litestream"));
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
