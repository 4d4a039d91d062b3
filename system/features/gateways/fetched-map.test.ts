/** A real HAProxy on another machine than the desk's, which fetches its map with curl. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { keydesk, repository, run } from "../../../test/support/command.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../../test/support/processes.ts";
import { startApi, startProxy } from "../../support/proxies.ts";
import { fetchInPerson } from "../../../test/support/sign-in.ts";

const FOLDER = join(repository, "docs/gateways");

async function post(server: ServerProcess, path: string, body: object, method = "POST") {
  const answer = await server.send(method, path, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** A key out of an approved request. */
async function keyOf(server: ServerProcess): Promise<string> {
  const requests = "/api/portal/requests";
  const { Message } = await post(server, requests, { by_user: "dev ada", for_plan: "free" });
  return (await post(server, `${requests}/approve/${Message}`, {}, "PUT")).RawKey;
}

Deno.test("haproxy: a door on another machine opens by the map that it fetches, whichever node it asks", async () => {
  await withFolder(async (dataDir) => {
    await using api = startApi();
    await using server = await startServerProcess({ dataDir });
    await using other = await startServerProcess({ dataDir });
    const rights = { weather: { api_id: "weather", api_name: "Weather", versions: ["Default"] } };
    await post(server, "/api/portal/policies", { id: "free", name: "free", access_rights: rights });
    const map = { api: "weather", socket: "fetched" };
    const { id } = await fetchInPerson(server.url, server.credential, "/v1/gateways", {
      name: "Far",
      connection: "map",
      map,
    });
    const words = ["token", "create", "far", "--allow", "gateways:map"];
    const token = await keydesk(words, { KEYDESK_DATA_DIR: dataDir });
    const far = join(dataDir, "far");
    await Deno.mkdir(far);
    const file = join(far, "door.map");
    let reloads = 0;
    /** One look of the documented program at a node; gives how it ended and what it said. */
    const look = async ({ hostname, port }: { hostname: string; port: number }) => {
      const { code, stderr } = await run(["sh", join(FOLDER, "fetch-map.sh")], {
        env: {
          DESK: `http://${hostname}:${port}`,
          DESK_CREDENTIAL: token.stdout.trim(),
          GATEWAY_ID: id,
          MAP_FILE: file,
          RELOAD: `echo told >>'${join(far, "reloads")}'`,
          EVERY: "0",
        },
      });
      const told = await Deno.readTextFile(join(far, "reloads")).catch(() => "");
      const isNews = told.length / 5 > reloads;
      reloads = told.length / 5;
      return { code, stderr, isNews };
    };
    const kept = await keyOf(server);
    const ended = await keyOf(server);
    assert.deepEqual(await look(server), { code: 0, stderr: "", isNews: true });
    // Once both keys have been settled, either node says that nothing is new.
    let looks = 0;
    const isAtRest = async () => {
      const { isNews } = await look(looks++ % 2 === 0 ? other : server);
      return !isNews && looks > 1;
    };
    await eventually("it comes to rest", isAtRest, 200);
    assert.equal((await look(other)).isNews, false);
    assert.equal((await look(server)).isNews, false);
    await post(server, `/v1/keys/${sha256(ended)}/revoke`, { reason: "gone" });
    assert.deepEqual(await look(other), { code: 0, stderr: "", isNews: true });
    assert.ok(!(await Deno.readTextFile(file)).includes(sha256(ended)));

    // The desk dies, and the door goes by what it has.
    for (const one of [server, other]) {
      one.kill("SIGKILL");
      await one.ended;
    }
    const away = await look(other);
    assert.deepEqual([away.code, away.isNews], [1, false]);
    await using door = await startProxy(
      "haproxy",
      join(FOLDER, "hashes.haproxy.cfg"),
      "GATEWAY_ADDRESS",
      {
        API_ADDRESS: api.address,
        API_ID: "weather",
        DESK_ADDRESS: `${server.hostname}:${server.port}`,
        DESK_CREDENTIAL: "none",
        GATEWAY_NAME: "",
        MAP_FILE: file,
        MAP_SOCKET: join(far, "door.sock"),
      },
      far,
    );
    const knock = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${door.url}/forecast`, { headers });
      await answer.body?.cancel();
      return answer.status;
    };
    assert.deepEqual([await knock(kept), await knock(ended)], [200, 503]);

    // Removed, the gateway leaves no door that opens by an old map.
    await using again = await startServerProcess({ dataDir });
    await post(again, `/v1/gateways/${id}?keys=leave`, {}, "DELETE");
    const gone = await look(again);
    assert.deepEqual([gone.code, gone.isNews], [1, true]);
    assert.match(gone.stderr, /no such gateway/);
    assert.equal(await Deno.readTextFile(file), "");
    assert.equal((await look(again)).isNews, false);
  });
});
