/** The folder of doors that open by hashes: full, closed, gone, and with something else in it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { run } from "../../../test/support/command.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../../test/support/processes.ts";
import { mountSmallDisk, type SmallDisk } from "../../support/small-disk.ts";
import { fetchInPerson } from "../../../test/support/sign-in.ts";

/** A door's folder on a disk of its own, and its file. */
interface Place {
  readonly disk: SmallDisk;
  readonly folder: string;
  readonly file: string;
}

/** What takes the place away from the server, and what gives it back. */
interface Loss {
  readonly failure: RegExp;
  take(place: Place): Promise<void>;
  giveBack(place: Place): Promise<void>;
  /** Where the file is meanwhile. */
  readonly kept?: (place: Place) => string;
}

const LOSSES: Readonly<Record<string, Loss>> = {
  "its disk is full": {
    failure: /no space is left/,
    take: async ({ disk, folder }) => {
      // What was deleted just before gives its blocks back with a sync.
      for (let n = 0; n < 3; n++) {
        await succeed("sync", "-f", folder);
        await disk.fill();
      }
    },
    giveBack: ({ disk }) => disk.clear(),
  },
  // Of root too nobody writes to what can't be changed.
  "its folder can't be written": {
    failure: /may not write/,
    take: ({ folder }) => succeed("chattr", "+i", folder),
    giveBack: ({ folder }) => succeed("chattr", "-i", folder),
  },
  "its file is somebody else's": {
    failure: /may not write/,
    take: ({ file }) => succeed("chattr", "+i", file),
    giveBack: ({ file }) => succeed("chattr", "-i", file),
  },
  "its folder is gone": {
    failure: /is not in KEYDESK_GATEWAY_FOLDER/,
    take: ({ folder }) => Deno.rename(folder, `${folder}-away`),
    giveBack: ({ folder }) => Deno.rename(`${folder}-away`, folder),
    kept: ({ folder, file }) => file.replace(folder, `${folder}-away`),
  },
  "a link stands in the place of its file": {
    failure: /no plain file/,
    take: async ({ file }) => {
      await Deno.rename(file, `${file}-away`);
      await Deno.symlink(`${file}-away`, file);
    },
    giveBack: async ({ file }) => {
      await Deno.remove(file);
      await Deno.rename(`${file}-away`, file);
    },
    kept: ({ file }) => `${file}-away`,
  },
};

async function post(server: ServerProcess, path: string, body: object = {}, method = "POST") {
  const answer = await server.send(method, path, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** The hash of a new key. */
async function issued(server: ServerProcess): Promise<string> {
  const requests = "/api/portal/requests";
  const { Message } = await post(server, requests, { by_user: "dev ada", for_plan: "free" });
  const { RawKey } = await post(server, `${requests}/approve/${Message}`, {}, "PUT");
  return sha256(RawKey);
}

Deno.test("hashes: whatever happens to its folder, the file stays whole and is caught up, ends first", async (t) => {
  await using disk = await mountSmallDisk(16);
  const folder = join(disk.folder, "doors");
  await Deno.mkdir(folder);
  await withFolder(async (dataDir) => {
    const environment = { KEYDESK_GATEWAY_FOLDER: folder };
    await using server = await startServerProcess({ dataDir, environment });
    await post(server, "/api/portal/policies", { id: "free", name: "free" });
    const gateway = { name: "Edge", connection: "map", map: {} };
    const { id } = await fetchInPerson(server.url, server.credential, "/v1/gateways", gateway);
    const failure = async () => (await server.send("GET", `/v1/gateways/${id}`)).body.failure;
    const file = join(folder, `${id}.map`);
    const place = { disk, folder, file };
    // So large that it needs a block of its own.
    for (let n = 0; n < 60; n++) await issued(server);
    for (
      const [what, { failure: why, take, giveBack, kept = () => file }] of Object.entries(LOSSES)
    ) {
      await t.step(what, async () => {
        const ended = await issued(server);
        await eventually("it stands there", async () => (await lines(file)).includes(ended));
        const whole = await Deno.readTextFile(file);
        await take(place);
        const fresh = await issued(server);
        await post(server, `/v1/keys/${ended}/revoke`, { reason: "gone" });
        await eventually("it is told why", async () => why.test(await failure()));
        assert.equal(await Deno.readTextFile(kept(place)), whole);
        const { data: [row] } = (await server.send("GET", `/v1/keys/${ended}/gateways`)).body;
        assert.equal(row.state, "waiting");
        await giveBack(place);
        await eventually("it is caught up", async () => {
          const now = await lines(file);
          // Nothing is opened before what was ended is shut.
          assert.ok(!(now.includes(fresh) && now.includes(ended)));
          return now.includes(fresh) && !now.includes(ended);
        });
        await eventually("nothing is wrong any more", async () => await failure() === "");
        const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
        assert.deepEqual(names, [`${id}.map`]);
      });
    }
  });
});

/** The hashes in a map; none while it is away. */
async function lines(file: string): Promise<string[]> {
  const text = await Deno.readTextFile(file).catch(() => "");
  return text.split("\n").slice(1).map((line) => line.slice(0, 64));
}

async function succeed(...command: string[]): Promise<void> {
  const { code, stderr } = await run(command);
  assert.equal(code, 0, stderr);
}
