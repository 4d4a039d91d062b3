/** Keys that nobody has any more, made at a gateway through its Redis. */
import assert from "node:assert/strict";
import { hashThere } from "../../../src/features/gateways/tyk/tyk-hash.ts";
import { RedisAway, RedisLine } from "../../../src/features/gateways/tyk/redis-line.ts";
import { GatewayEngine } from "../../../src/features/gateways/gateway-engine.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { openOutbound } from "../../../src/kernel/outbound/open-outbound.ts";
import { shortened } from "../../../src/features/keys/key-form.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { type StandIn, standIn } from "../../support/gateway.ts";
import { type RedisStandIn, redisStandIn } from "../../support/gateway-redis.ts";
import { addGateway, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { callInPerson } from "../../support/sign-in.ts";

const clock = movableClock();
const FREE = ["plan-free"];

/** An engine that may call a gateway and its Redis. */
function engineOf(desk: TestDesk, door: StandIn, redis: RedisStandIn): GatewayEngine {
  const outbound = openOutbound({ entries: [door.host, redis.host] });
  return new GatewayEngine({ ...desk.app.ctx, outbound }, (error) => {
    throw error;
  });
}

/** What is written of a gateway, with its Redis. */
const written = ({ url }: StandIn, more: object) => ({ name: "City", url, ...more });

testOnEngines(
  "redis: keys from before a gateway are made there by choice, and open",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using redis = redisStandIn(door.gateway.records);
    await plansOf(desk);
    const [open, suspended, revoked] = [
      await issue(desk, FREE),
      await issue(desk, FREE),
      await issue(desk, FREE),
    ];
    const basic = await issue(desk, ["plan-basic"]);
    await call(desk, "POST", `/v1/keys/${suspended.key_id}/suspend`, { reason: "so" });
    await call(desk, "POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "so" });
    await call(desk, "PUT", `/v1/keys/${open.key_id}/labels`, { name: "Winter" });
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door, redis);
    await provision(engine);
    assert.deepEqual(await keyThere(desk, open.key_id), ["stuck", "secret_gone"]);
    assert.deepEqual(redis.commands, [], "nobody chose it");
    const shown = await callInPerson(
      desk,
      "PUT",
      `/v1/gateways/${id}`,
      written(door, { redis_url: redis.url }),
    );
    assert.equal(shown.redis_url, redis.url);
    await provision(engine);
    assert.deepEqual(await keyThere(desk, open.key_id), ["delivered", ""]);
    assert.deepEqual(await keyThere(desk, suspended.key_id), ["closing", ""]);
    assert.deepEqual(await keyThere(desk, basic.key_id), ["stuck", "secret_gone"]);
    const states = [open, suspended, revoked].map(({ RawKey }) => door.open(RawKey));
    assert.deepEqual(await Promise.all(states), [200, 403, 403]);
    assert.deepEqual(redis.ends.get(`apikey-${open.key_id}`), 3600, "a seed goes by itself");
    // What it says is what the gateway makes of a key that it is sent.
    const sent = await issue(desk, FREE);
    await provision(engine);
    const sessionOf = (key_id: string) => {
      const { date_created: _, alias: _1, meta_data: _2, last_updated: _3, ...session } =
        door.gateway.shown(key_id) ?? {};
      return session;
    };
    assert.deepEqual(sessionOf(open.key_id), sessionOf(sent.key_id));
    const { alias, meta_data } = door.gateway.session(open.key_id) ?? {};
    assert.deepEqual([alias, meta_data], [
      "Winter",
      { tyk_developer_id: "dev-ada", keydesk_key_id: open.key_id },
    ]);
    // It is changed and ended as any other.
    await call(desk, "POST", `/v1/keys/${suspended.key_id}/resume`, { reason: "so" });
    await call(desk, "POST", `/v1/keys/${open.key_id}/revoke`, { reason: "gone" });
    await provision(engine);
    assert.deepEqual([await door.open(open.RawKey), await door.open(suspended.RawKey)], [403, 200]);
  },
  { clock },
);

testOnEngines(
  "redis: a seed opens nothing until the gateway was told what it opens",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using redis = redisStandIn(door.gateway.records);
    await plansOf(desk);
    const { RawKey, key_id } = await issue(desk, FREE);
    await addGateway(desk, door, { redis_url: redis.url });
    const engine = engineOf(desk, door, redis);
    door.instead = ({ method }) => method === "PUT" ? new Response("", { status: 500 }) : undefined;
    await provision(engine);
    assert.ok(door.gateway.session(key_id), "its seed stands");
    assert.equal(await door.open(RawKey), 401);
    const [state] = await keyThere(desk, key_id);
    assert.equal(state, "waiting");
    // Its Redis lost everything meanwhile.
    door.instead = () => undefined;
    door.gateway.loseRecords();
    clock.at += 60_000;
    await provision(engine);
    assert.deepEqual([await door.open(RawKey), await keyThere(desk, key_id)], [200, [
      "delivered",
      "",
    ]]);
  },
  { clock },
);

testOnEngines(
  "redis: one that can't be used is told of, and tried less and less often",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using redis = redisStandIn(door.gateway.records);
    await using other = redisStandIn(new Map());
    await plansOf(desk);
    const { RawKey, key_id } = await issue(desk, FREE);
    redis.password = "what-opens-it";
    const id = await addGateway(desk, door, { redis_url: redis.url, redis_password: "wrong" });
    const outbound = openOutbound({ entries: [door.host, redis.host, other.host] });
    const engine = new GatewayEngine({ ...desk.app.ctx, outbound });
    const change = (more: object) =>
      callInPerson(desk, "PUT", `/v1/gateways/${id}`, written(door, more));
    const met = async () => {
      await call(desk, "POST", `/v1/gateways/${id}/now`, {});
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`, {});
      await provision(engine);
      const { findings, failing_since } = await call(desk, "GET", `/v1/gateways/${id}`);
      assert.equal(failing_since, null, "the gateway itself works");
      const of = findings.filter(({ code }: { code: string }) => code === "redis_unusable");
      return [await keyThere(desk, key_id), of.map(({ detail }: { detail: string }) => detail)];
    };
    const stuck = (reason: string) => [["stuck", reason], [reason]];
    assert.deepEqual(await met(), stuck("redis_refuses WRONGPASS"));
    await change({ redis_url: redis.url, redis_password: "" });
    assert.deepEqual(await met(), stuck("redis_refuses NOAUTH"));
    await change({ redis_url: redis.url, redis_password: "what-opens-it" });
    redis.refuses = "READONLY You can't write against a read only replica.";
    assert.deepEqual(await met(), stuck("redis_refuses READONLY"));
    // A password goes to no other Redis.
    await change({ redis_url: other.url });
    assert.deepEqual(await met(), stuck("another_redis"));
    assert.deepEqual(other.commands.filter(([verb]) => verb === "AUTH" || verb === "SET"), []);
    // A copy has the canary, and the gateway does not read it.
    for (const [name, record] of door.gateway.records) other.records.set(name, record);
    assert.deepEqual(await met(), [["stuck", "another_redis"], []]);
    await change({ redis_url: "redis://127.0.0.1:1/0" });
    assert.deepEqual(await met(), stuck("redis_away"), "KEYDESK_OUTBOUND does not name it");
    // It is tried again by itself.
    await change({ redis_url: redis.url, redis_password: "what-opens-it" });
    assert.deepEqual(await met(), stuck("redis_refuses READONLY"));
    redis.refuses = "";
    const commands = redis.commands.length;
    clock.at += 59_000;
    await provision(engine);
    assert.equal(redis.commands.length, commands);
    clock.at += 16 * 60_000;
    await provision(engine);
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["delivered", ""],
      200,
    ]);
  },
  { clock },
);

testOnEngines(
  "redis: only an address that nobody between reads is taken, and no password shown",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const password = "what-opens-it";
    const answered = async (more: object) => {
      const body = { connection: "synced", ...written(door, more), secret: door.secret };
      const answer = await desk.send("POST", "/v1/gateways", { body });
      return [answer.status, await answer.json()];
    };
    for (
      const redis_url of [
        "redis://redis.example.org:6379",
        "rediss://user:password@redis.example.org",
        "rediss://redis.example.org/first",
        "rediss://redis.example.org/0?x=1",
        "rediss://a%zz@redis.example.org/0",
        "https://redis.example.org",
        "rediss://",
        "no",
      ]
    ) {
      const [status] = await answered({ redis_url });
      assert.equal(status, 400, redis_url);
    }
    assert.equal((await answered({ redis_password: password }))[0], 400);
    const map = { api: "", socket: "" };
    const [status] = await answered({
      connection: "map",
      url: "",
      map,
      redis_url: "rediss://a.example",
    });
    assert.equal(status, 400);
    const [, made] = await answered({
      redis_url: "rediss://me@Redis.example.org",
      redis_password: password,
    });
    assert.equal(made.redis_url, "rediss://me@redis.example.org:6379/0");
    const { data } = await call(desk, "GET", "/v1/audit-log");
    assert.ok(!JSON.stringify([made, data]).includes(password));
  },
  { clock },
);

Deno.test("redis: of which keys it is known what a gateway calls them", () => {
  const text = btoa('{"org":"5f1a","id":"0123456789abcdef0123456789abcdef","h":"sha256"}');
  const key_id = sha256(text);
  const hash = shortened(key_id);
  const issued = {
    key_id,
    kind: "token" as const,
    attempt_id: "0123456789abcdef0123456789abcdef",
    imported_as: null,
    wrapped_by: null,
    mask: "0123…cdef",
  };
  const came = { ...issued, attempt_id: "", mask: hash };
  const of = (more: object, format: Parameters<typeof hashThere>[1] = { name: "legacy" }) =>
    hashThere({ ...issued, ...more }, format) !== "";
  assert.deepEqual([of({}), of({}, { name: "kd", env: "live" })], [true, true]);
  assert.equal(of({}, { name: "legacy", hash: "murmur64" }), false, "its own function is another");
  assert.equal(of({ mask: "kd_live_0123…cdef" }), false, "its text is wrapped there");
  assert.equal(of({ kind: "basic" }), false);
  assert.equal(of({ ...came, wrapped_by: "sha256" }), true, "it came by that hash");
  assert.equal(of({ ...came, wrapped_by: "none" }), false, "it came in plain");
  assert.equal(of(came), false, "a short text has such a mask too");
  const first = "a".repeat(64);
  assert.equal(
    hashThere({ ...came, imported_as: first, mask: shortened(first) }, { name: "legacy" }),
    first,
  );
  assert.equal(of({ ...came, imported_as: "a".repeat(32) }), false, "a hash of murmur");
});

Deno.test("redis: answers come in any pieces, and what is no Redis is told", async () => {
  const pieces = ["+O", "K\r\n$3\r\na\r", "\n\r\n$-1\r\n:7\r\n-READONLY no\r", "\n"];
  await using there = await line(pieces);
  const asked = ["PING", "GET", "GET", "INCR", "SET"].map((word) => there.line.ask(word));
  const said = await Promise.allSettled(asked);
  assert.deepEqual(
    said.map((one) => one.status === "fulfilled" ? one.value : one.reason.message),
    ["OK", "a\r\n".slice(0, 3), null, "7", "READONLY"],
  );
  await using http = await line(["HTTP/1.1 400 Bad Request\r\n\r\n"]);
  await assert.rejects(http.line.ask("PING"), RedisAway);
  await assert.rejects(http.line.ask("PING"), RedisAway);
  assert.equal(http.line.isOver, true);
  await using endless = await line(["$9999999999\r\n", ...Array(40).fill("x".repeat(65_536))]);
  await assert.rejects(endless.line.ask("GET"), { message: "its answer is too long" });
});

/** A line to what answers these pieces, whatever it is asked. */
async function line(pieces: readonly string[]) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = "127.0.0.1";
  const { port } = listener.addr;
  const outbound = openOutbound({ entries: [`${host}:${port}`] });
  const [there, socket] = await Promise.all([
    listener.accept(),
    outbound.connect({ host, port, timeoutMs: 5000 }),
  ]);
  const open = new RedisLine(socket);
  void (async () => {
    await there.read(new Uint8Array(1000));
    for (const piece of pieces) {
      // Who is told too much ends the connection.
      await there.write(new TextEncoder().encode(piece)).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    line: open,
    [Symbol.asyncDispose]: () => {
      open.close();
      there.close();
      listener.close();
      return Promise.resolve();
    },
  };
}
