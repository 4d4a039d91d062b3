/** Doors that open by hashes of keys: what stands in their file, and what is told of all else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { GatewayEngine } from "../../../src/features/gateways/gateway-engine.ts";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { keyThere, provision } from "../../support/gateways.ts";
import { importKeys, issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { callInPerson } from "../../support/sign-in.ts";

const clock = movableClock();

/** A gateway of this kind with its folder. */
async function set(desk: TestDesk, map: object = { api: "weather" }) {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-hashes-" });
  const plan = (id: string, api: string, more: object = {}) =>
    call(desk, "POST", "/api/portal/policies", {
      id,
      name: id,
      access_rights: { [api]: { api_id: api, api_name: api, versions: ["Default"] } },
      ...more,
    });
  await plan("plan-a", "weather", { rate: 5, per: 60 });
  await plan("plan-b", "maps");
  await plan("plan-basic", "weather", { auth_type: "basic" });
  const made = await callInPerson(desk, "POST", "/v1/gateways", {
    name: "Edge",
    connection: "map",
    map,
  });
  const engineIn = (gatewayFolder: string) =>
    new GatewayEngine(
      { ...desk.app.ctx, settings: { ...desk.app.ctx.settings, gatewayFolder } },
      (error) => {
        throw error;
      },
    );
  const engine = engineIn(folder);
  const id: string = made.id;
  const file = join(folder, `${id}.map`);
  return {
    id,
    folder,
    file,
    engineIn,
    engine,
    /** The lines of keys, once everything was brought. */
    lines: async () => {
      await provision(engine);
      return (await Deno.readTextFile(file)).split("\n").slice(1, -1);
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

testOnEngines("hashes: a key's line follows what is decided of it", async (desk) => {
  await using door = await set(desk);
  const { key_id, RawKey } = await issue(desk, ["plan-a"], "dev ada");
  const other = await issue(desk, ["plan-b"]);
  const change = (path: string, body: object, method = "POST") =>
    call(desk, method, `/v1/keys/${key_id}${path}`, body);
  assert.deepEqual(await door.lines(), [`${key_id} 0:5:60:dev%2520ada:plan-a`]);
  assert.deepEqual([await keyThere(desk, key_id), await keyThere(desk, other.key_id)], [
    ["delivered", ""],
    ["gone", ""],
  ]);
  await change("/suspend", { reason: "for now" });
  assert.deepEqual(await door.lines(), []);
  await change("/resume", { reason: "again" });
  await change("/expiry", { expires_at: "2999-01-01T00:00:00Z" }, "PUT");
  const end = Date.UTC(2999, 0, 1) / 1000;
  assert.deepEqual(await door.lines(), [`${key_id} ${end}:5:60:dev%2520ada:plan-a`]);
  await call(desk, "PUT", "/api/portal/policies/plan-a", { rate: 7 });
  assert.deepEqual(await door.lines(), [`${key_id} ${end}:7:60:dev%2520ada:plan-a`]);
  await call(desk, "PUT", "/api/portal/policies/plan-a", { active: false });
  assert.deepEqual(await door.lines(), []);
  await call(desk, "PUT", "/api/portal/policies/plan-a", { active: true });
  assert.equal((await door.lines()).length, 1);
  await change("/revoke", { reason: "gone" });
  assert.deepEqual(await door.lines(), []);
  assert.deepEqual(await keyThere(desk, key_id), ["closing", "not_read"]);
  assert.ok(!(await Deno.readTextFile(door.file)).includes(RawKey));
  assert.deepEqual([...Deno.readDirSync(door.folder)].map(({ name }) => name), [`${door.id}.map`]);
});

testOnEngines(
  "hashes: a key that left the file opens until its proxy reads that, as far as is known",
  async (desk) => {
    await using door = await set(desk);
    const [revoked, suspended, never] = [
      await issue(desk, ["plan-a"]),
      await issue(desk, ["plan-a"]),
      await issue(desk, ["plan-b"]),
    ];
    const there = async ({ key_id }: { key_id: string }) => {
      const { data: [one] } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
      const { state, reason, valid: opens, since, may_be_valid_until: until } = one;
      const seconds = until === null ? null : (Date.parse(until) - Date.parse(since)) / 1000;
      return [state, reason, opens, seconds];
    };
    const map = { api: "weather", reload_seconds: 60 as number | null };
    const put = async (map: object) => {
      await callInPerson(desk, "PUT", `/v1/gateways/${door.id}`, { name: "Edge", map });
      return await door.lines();
    };
    await door.lines();
    await call(desk, "POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "gone" });
    await call(desk, "POST", `/v1/keys/${suspended.key_id}/suspend`, { reason: "for now" });
    await call(desk, "POST", `/v1/keys/${never.key_id}/revoke`, { reason: "gone" });
    assert.deepEqual(await door.lines(), []);
    // It never stood there.
    assert.deepEqual(await there(never), ["gone", "", false, null]);
    const unknown = ["closing", "not_read", true, null];
    assert.deepEqual([await there(revoked), await there(suspended)], [unknown, unknown]);
    // However long ago, as long as nobody says how often the file is read.
    clock.at += 30_000;
    await door.lines();
    assert.deepEqual(await there(revoked), unknown);
    // A suspended one that is revoked may stand in the proxy as before.
    await call(desk, "POST", `/v1/keys/${suspended.key_id}/revoke`, { reason: "gone" });
    await door.lines();
    assert.deepEqual(await there(suspended), unknown);
    // That says how long, and brings nothing anew.
    await put(map);
    const known = ["closing", "not_read", true, 60];
    assert.deepEqual([await there(revoked), await there(suspended)], [known, known]);
    clock.at += 31_000;
    await door.lines();
    assert.deepEqual(await there(revoked), ["gone", "", false, null]);
    assert.deepEqual(await there(suspended), known);
    clock.at += 30_000;
    await door.lines();
    assert.deepEqual(await there(suspended), ["gone", "", false, null]);
    // One that is resumed meanwhile does not wait for anything.
    const resumed = await issue(desk, ["plan-a"]);
    await door.lines();
    await call(desk, "POST", `/v1/keys/${resumed.key_id}/suspend`, { reason: "for now" });
    await door.lines();
    await call(desk, "POST", `/v1/keys/${resumed.key_id}/resume`, { reason: "again" });
    assert.equal((await door.lines()).length, 1);
    assert.deepEqual(await there(resumed), ["delivered", "", true, null]);
    const shown = await call(desk, "GET", `/v1/gateways/${door.id}`);
    assert.deepEqual([shown.map.reload_seconds, shown.filling], [60, false]);
    for (const reload_seconds of [0, -1, 1.5, 604_801, "60"]) {
      const body = { name: "Edge", map: { ...map, reload_seconds } };
      const answer = await desk.send("PUT", `/v1/gateways/${door.id}`, { body });
      await answer.body?.cancel();
      assert.equal(answer.status, 400);
    }
  },
  { clock },
);

testOnEngines("hashes: drafts of servers that were killed go with the next file", async (desk) => {
  await using door = await set(desk);
  await door.lines();
  const others = [`${door.id}.sock`, `another.map.00.new`, `${door.id}.template.yaml`];
  for (const name of [...others, `${door.id}.map.0123456789ab.new`]) {
    await Deno.writeTextFile(join(door.folder, name), "");
  }
  await issue(desk, ["plan-a"]);
  assert.equal((await door.lines()).length, 1);
  const names = await Array.fromAsync(Deno.readDir(door.folder), ({ name }) => name);
  assert.deepEqual(names.sort(), [`${door.id}.map`, ...others].sort());
});

testOnEngines("hashes: what no map may hold is listed with its reason", async (desk) => {
  await using door = await set(desk, { api: "" });
  const basic = await issue(desk, ["plan-basic"]);
  const lines = [
    { key: "short", developer: "dev-a", plans: ["plan-a"] },
    { key: "a text of twenty characters and more", developer: "dev-a", plans: ["plan-a"] },
    { hash: "0".repeat(32), algorithm: "murmur128", developer: "dev-a", plans: ["plan-a"] },
    { hash: "1".repeat(64), developer: "dev-a", plans: ["plan-a"] },
  ];
  await importKeys(desk, lines, { murmurUntil: "2999-01-01T00:00:00.000Z" });
  const [short, long] = [sha256("short"), sha256("a text of twenty characters and more")];
  const [murmur, hashed] = ["0".repeat(32), "1".repeat(64)];
  const shown = await door.lines();
  assert.deepEqual(shown.map((line) => line.slice(0, 64)), [long, hashed].sort());
  const reasons = await Promise.all(
    [basic.key_id, short, murmur].map((key_id) => keyThere(desk, key_id)),
  );
  assert.deepEqual(reasons, [["stuck", "not_a_token"], ["stuck", "short_key"], [
    "stuck",
    "other_hash",
  ]]);
  await call(desk, "POST", `/v1/keys/${short}/revoke`, { reason: "gone" });
  await door.lines();
  assert.deepEqual(await keyThere(desk, short), ["gone", ""]);
});

testOnEngines(
  "hashes: an imported key of another hash is brought once it was used",
  async (desk) => {
    await using door = await set(desk);
    const texts = ["tiny-key", "a text of twenty characters and more"];
    const lines = await Promise.all(texts.map(async (text) => {
      const [hash] = await murmurIdsOf(text);
      return { hash, algorithm: "murmur128", developer: "dev-a", plans: ["plan-a"] };
    }));
    await importKeys(desk, lines, { murmurUntil: "2999-01-01T00:00:00.000Z" });
    assert.deepEqual(await door.lines(), []);
    for (const key of texts) {
      const { valid } = await call(desk, "POST", "/v1/keys/verify", { key });
      assert.equal(valid, true);
    }
    const [tiny = "", long = ""] = texts.map((text) => sha256(text));
    assert.deepEqual((await door.lines()).map((line) => line.slice(0, 64)), [long]);
    assert.deepEqual(await keyThere(desk, tiny), ["stuck", "short_key"]);
    // Its list names keys by their present ids: nothing there is foreign, nothing missing.
    await call(desk, "POST", `/v1/gateways/${door.id}/reconcile`, { whole: true });
    await provision(door.engine);
    const { reconciled } = await call(desk, "GET", `/v1/gateways/${door.id}`);
    assert.deepEqual([reconciled.foreign, reconciled.missing, reconciled.returned], [0, 0, 0]);
  },
);

testOnEngines("hashes: without its folder or its file nothing is guessed", async (desk) => {
  await using door = await set(desk);
  const { key_id } = await issue(desk, ["plan-a"]);
  const failure = async (folder: string) => {
    const engine = door.engineIn(folder);
    await engine.turn();
    await engine.giveBack();
    return (await call(desk, "GET", `/v1/gateways/${door.id}`)).failure;
  };
  assert.equal(await failure(""), "this server has no KEYDESK_GATEWAY_FOLDER");
  assert.equal((await door.lines()).length, 1);
  await door.engine.giveBack();
  await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
  const elsewhere = await Deno.makeTempDir({ prefix: "keydesk-hashes-" });
  assert.match(await failure(elsewhere), /its file is not in KEYDESK_GATEWAY_FOLDER/);
  assert.deepEqual([...Deno.readDirSync(elsewhere)], []);
  // A link of that name leads nowhere, and is not written through.
  const channel = join(elsewhere, "channel");
  await Deno.writeTextFile(channel, "theirs");
  await Deno.symlink(channel, join(elsewhere, `${door.id}.map`));
  assert.equal(await failure(elsewhere), "its file is no plain file");
  assert.equal(await Deno.readTextFile(channel), "theirs");
  await Deno.remove(elsewhere, { recursive: true });
  assert.deepEqual(await door.lines(), []);
});

testOnEngines("hashes: what a kind has not, and sockets elsewhere, are refused", async (desk) => {
  const refused = async (body: object) => {
    const answer = await desk.send("POST", "/v1/gateways", { body: { name: "Edge", ...body } });
    return [answer.status, /(\w+): (needed|belongs)/.exec(await answer.text())?.[1]];
  };
  const map = { api: "weather" };
  const url = "https://gateway.example.org";
  assert.deepEqual(await refused({ connection: "map" }), [400, "map"]);
  assert.deepEqual(await refused({ connection: "map", map, url }), [400, "url"]);
  assert.deepEqual(await refused({ connection: "map", map, secret: "s" }), [400, "secret"]);
  assert.deepEqual(await refused({ connection: "synced", url, map, secret: "s" }), [400, "map"]);
  assert.deepEqual(await refused({ connection: "synced", url }), [400, "secret"]);
  for (const socket of ["/run/other.sock", "10.0.0.1:80", "unix:x", "127.0.0.1"]) {
    assert.equal((await refused({ connection: "map", map: { socket } }))[0], 400, socket);
  }
});

testOnEngines(
  "hashes: a door that is removed is emptied first, unless it is left",
  async (desk) => {
    await using door = await set(desk);
    await issue(desk, ["plan-a"]);
    assert.equal((await door.lines()).length, 1);
    const remove = (query = "") => call(desk, "DELETE", `/v1/gateways/${door.id}${query}`);
    assert.deepEqual(await remove(), { left: 0, ending: true, files: [] });
    for (let n = 0; n < 4; n++) await door.engine.turn();
    const { state } = await call(desk, "GET", `/v1/gateways/${door.id}`);
    assert.deepEqual([state, (await Deno.readTextFile(door.file)).split("\n").length], [
      "ending",
      2,
    ]);
    // Somebody thinks better of it.
    await call(desk, "POST", `/v1/gateways/${door.id}/resume`);
    assert.equal((await door.lines()).length, 1);
    const files = [`${door.id}.map`];
    assert.deepEqual(await remove("?keys=leave"), { left: 1, ending: false, files });
  },
);

testOnEngines("hashes: none stops writing a file that is left with keys", async (desk) => {
  await using door = await set(desk);
  const body = { name: "Edge", map: { api: "weather", socket: "fetched" } };
  const answer = await desk.send("PUT", `/v1/gateways/${door.id}`, { body });
  assert.deepEqual([answer.status, /settled when/.test(await answer.text())], [400, true]);
});
