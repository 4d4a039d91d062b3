/** Maps that doors fetch: what stands in them, from when on, and when nothing is sent again. */
import assert from "node:assert/strict";
import { GatewayEngine } from "../../../src/features/gateways/gateway-engine.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { keyThere, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call, newPerson } from "../../support/people.ts";
import { callInPerson } from "../../support/sign-in.ts";

const MAP = { api: "weather", socket: "fetched" };

const clock = movableClock();

/** A gateway that is fetched, with what fetches it. */
async function set(desk: TestDesk, map: object = MAP, kind = "haproxy") {
  const rights = { weather: { api_id: "weather", api_name: "Weather", versions: ["Default"] } };
  const plan = { id: "plan-a", name: "plan-a", access_rights: rights, rate: 5, per: 60 };
  await call(desk, "POST", "/api/portal/policies", plan);
  const { id } = await callInPerson(desk, "POST", "/v1/gateways", {
    name: "Far",
    connection: "map",
    kind,
    map,
  });
  const credential = await desk.token(["gateways:map"]);
  const engine = new GatewayEngine(desk.app.ctx, (error) => {
    throw error;
  });
  const path = `/v1/gateways/${id}/map`;
  const fetched = async (tag?: string, method = "GET") => {
    const headers: Record<string, string> = tag === undefined ? {} : { "if-none-match": tag };
    const answer = await desk.send(method, path, { credential, headers });
    const text = await answer.text();
    return { status: answer.status, tag: answer.headers.get("etag") ?? "", text, answer };
  };
  return {
    id,
    path,
    engine,
    fetched,
    /** The lines of keys. */
    lines: async () => (await fetched()).text.split("\n").slice(1, -1),
  };
}

testOnEngines("fetched maps: each answer is what is decided by then", async (desk) => {
  const door = await set(desk);
  // No engine turns, on whichever node.
  assert.deepEqual(await door.lines(), []);
  const { key_id, RawKey } = await issue(desk, ["plan-a"], "dev ada");
  const basic = await issue(desk, ["plan-a"]);
  const lines = [key_id, basic.key_id].sort();
  assert.deepEqual((await door.lines()).map((line) => line.slice(0, 64)), lines);
  assert.ok((await door.lines()).includes(`${key_id} 0:5:60:dev%2520ada:plan-a`));
  const { text, tag, answer } = await door.fetched();
  assert.ok(!text.includes(RawKey));
  assert.equal(text.split("\n")[0], `keydesk ${tag.replaceAll('"', "")}`);
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
  assert.equal((await door.fetched(tag)).status, 200);
  assert.deepEqual((await door.lines()).map((line) => line.slice(0, 64)), [basic.key_id]);
  await call(desk, "PUT", "/api/portal/policies/plan-a", { active: false });
  assert.deepEqual(await door.lines(), []);
});

testOnEngines(
  "fetched maps: a map is sent again when it has changed, and only then",
  async (desk) => {
    const door = await set(desk);
    let tag = (await door.fetched()).tag;
    /** Whether it has changed since it was last asked. */
    const changed = async () => {
      const { status, text, tag: now } = await door.fetched(tag);
      assert.equal(text === "", status === 304);
      assert.equal(now === tag, status === 304);
      tag = now;
      return status === 200;
    };
    const settled = async () => {
      await provision(door.engine);
      await changed();
      assert.equal(await changed(), false);
    };
    assert.equal(await changed(), false);
    const { key_id } = await issue(desk, ["plan-a"]);
    assert.deepEqual([await changed(), await changed()], [true, false]);
    await settled();
    const change = (what: string, body: object, method = "POST") =>
      call(desk, method, `/v1/keys/${key_id}/${what}`, body);
    const changes = [
      () => change("suspend", { reason: "for now" }),
      () => change("resume", { reason: "again" }),
      () => change("expiry", { expires_at: "2999-01-01T00:00:00Z" }, "PUT"),
      () => call(desk, "PUT", "/api/portal/policies/plan-a", { rate: 7 }),
      () => call(desk, "PUT", `/v1/gateways/${door.id}`, { name: "Far", map: MAP, plans: [] }),
      () => call(desk, "PUT", `/v1/gateways/${door.id}`, { name: "Far", map: MAP }),
      () => change("revoke", { reason: "gone" }),
      // A key that is brought between two looks is not missed.
      async () => {
        await issue(desk, ["plan-a"]);
        await provision(door.engine);
      },
    ];
    for (const one of changes) {
      await one();
      assert.equal(await changed(), true, String(one));
      await settled();
    }
    // Another name changes nothing.
    await call(desk, "PUT", `/v1/gateways/${door.id}`, { name: "Farther", map: MAP });
    await settled();
    const { status, text, tag: known } = await door.fetched(undefined, "HEAD");
    assert.deepEqual([status, text, known], [200, "", tag]);
    assert.equal((await door.fetched(`"another", W/${tag}`, "HEAD")).status, 304);
  },
);

testOnEngines(
  "fetched maps: nothing is written, and keys are delivered in the map",
  async (desk) => {
    const door = await set(desk);
    const { key_id } = await issue(desk, ["plan-a"]);
    await provision(door.engine);
    assert.deepEqual(await keyThere(desk, key_id), ["delivered", ""]);
    const { map, failure, findings } = await call(desk, "GET", `/v1/gateways/${door.id}`);
    assert.deepEqual([map.files, failure, findings], [[], "", []]);
    // Whoever is paused is brought nothing; who asks is told what is decided.
    await call(desk, "POST", `/v1/gateways/${door.id}/pause`);
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    assert.deepEqual(await door.lines(), []);
  },
);

testOnEngines(
  "fetched maps: a key is gone once every proxy has said that it has a map without it",
  async (desk) => {
    const door = await set(desk);
    const keys = [await issue(desk, ["plan-a"]), await issue(desk, ["plan-a"])];
    const [first, second] = keys as [typeof keys[number], typeof keys[number]];
    await provision(door.engine);
    const revoke = async ({ key_id }: { key_id: string }) => {
      await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
      await provision(door.engine);
    };
    const there = async ({ key_id }: { key_id: string }) => {
      clock.at += 5 * 60_000;
      await provision(door.engine);
      const { data: [one] } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
      return [one.state, one.reason, one.valid, one.may_be_valid_until];
    };
    const closing = ["closing", "not_fetched", true, null];
    const gone = ["gone", "", false, null];
    const readers = async () => {
      const { map } = await call(desk, "GET", `/v1/gateways/${door.id}`);
      return map.readers.map(({ up_to }: { up_to: string | null }) => up_to !== null);
    };
    const before = (await door.fetched()).tag;
    await revoke(first);
    assert.deepEqual(await there(first), closing);
    // Sent is not read: the answer may have been lost.
    const { tag } = await door.fetched(before);
    assert.notEqual(tag, before);
    assert.deepEqual(await there(first), closing);
    // The proxy says that it has it.
    assert.equal((await door.fetched(tag)).status, 304);
    assert.deepEqual(await there(first), gone);
    assert.deepEqual(await readers(), [true]);
    // One that has an earlier map says nothing of a later end, even where another tag is not new.
    await revoke(second);
    assert.equal((await door.fetched(tag)).status, 200);
    assert.deepEqual(await there(second), closing);
    // A map that has changed again meanwhile counts as well.
    const sent = (await door.fetched(tag)).tag;
    const third = await issue(desk, ["plan-a"]);
    assert.equal((await door.fetched(sent)).status, 200);
    assert.deepEqual(await there(second), gone);
    await provision(door.engine);
    // A second proxy, by its own access token, has to say so too.
    const credential = await desk.token(["gateways:map"]);
    const other = await desk.send("GET", door.path, { credential });
    await other.body?.cancel();
    await revoke(third);
    const fresh = (await door.fetched()).tag;
    assert.equal((await door.fetched(fresh)).status, 304);
    assert.deepEqual(await there(third), closing);
    assert.deepEqual((await readers()).sort(), [false, true]);
    // It is switched off for good once its token is revoked.
    const { map } = await call(desk, "GET", `/v1/gateways/${door.id}`);
    const late = map.readers.find(({ up_to }: { up_to: string | null }) => up_to === null);
    await call(desk, "DELETE", `/v1/access-tokens/${late.token_id}`);
    assert.deepEqual(await there(third), gone);
    assert.deepEqual(await readers(), [true]);
  },
  { clock },
);

testOnEngines(
  "fetched maps: a proxy whose token has ended counts until its successor fetches",
  async (desk) => {
    const door = await set(desk);
    const { key_id } = await issue(desk, ["plan-a"]);
    await provision(door.engine);
    const { id: person } = await newPerson(desk, ["gateways:map"]);
    const path = `/v1/people/${person}/access-tokens`;
    const made = await call(desk, "POST", path, { name: "a proxy", deliver: "answer" });
    const by = async (credential: string, tag?: string) => {
      const headers: Record<string, string> = tag === undefined ? {} : { "if-none-match": tag };
      const answer = await desk.send("GET", door.path, { credential, headers });
      await answer.body?.cancel();
      return answer.headers.get("etag") ?? "";
    };
    await by(made.access_token, await by(made.access_token));
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    await provision(door.engine);
    // Another proxy has it.
    await door.fetched((await door.fetched()).tag);
    const rotate = `/v1/access-tokens/${made.id}/rotate`;
    const next = await call(desk, "POST", rotate, { overlap_seconds: 60, deliver: "answer" });
    const there = async () => {
      clock.at += 2 * 3_600_000;
      await provision(door.engine);
      const { map } = await call(desk, "GET", `/v1/gateways/${door.id}`);
      return [...await keyThere(desk, key_id), map.readers.length];
    };
    assert.deepEqual(await there(), ["closing", "not_fetched", 2]);
    await by(next.access_token, await by(next.access_token));
    assert.deepEqual(await there(), ["gone", "", 2]);
    // One that ends by itself, and is used by a proxy that does not come again.
    const expires_at = new Date(clock.at + 3_600_000).toISOString();
    const ending = await call(desk, "POST", path, {
      name: "another proxy",
      expires_at,
      deliver: "answer",
    });
    await by(ending.access_token, await by(ending.access_token));
    const second = await issue(desk, ["plan-a"]);
    await provision(door.engine);
    await call(desk, "POST", `/v1/keys/${second.key_id}/revoke`, { reason: "gone" });
    await provision(door.engine);
    await door.fetched((await door.fetched()).tag);
    await by(next.access_token, await by(next.access_token));
    await there();
    assert.deepEqual(await keyThere(desk, second.key_id), ["closing", "not_fetched"]);
    // It is taken as stopped a week after it came last.
    clock.at += 7 * 24 * 3_600_000;
    await there();
    assert.deepEqual(await keyThere(desk, second.key_id), ["gone", ""]);
  },
  { clock },
);

testOnEngines(
  "fetched maps: a suspended key is closing until then, and a resumed one is not",
  async (desk) => {
    const door = await set(desk);
    const { key_id } = await issue(desk, ["plan-a"]);
    await provision(door.engine);
    const change = async (what: string) => {
      await call(desk, "POST", `/v1/keys/${key_id}/${what}`, { reason: "so" });
      clock.at += 1000;
      await provision(door.engine);
      return await keyThere(desk, key_id);
    };
    assert.deepEqual(await change("suspend"), ["closing", "not_fetched"]);
    assert.deepEqual(await change("resume"), ["delivered", ""]);
    assert.deepEqual(await change("suspend"), ["closing", "not_fetched"]);
    const { tag } = await door.fetched();
    await door.fetched(tag);
    clock.at += 5000;
    await provision(door.engine);
    assert.deepEqual(await keyThere(desk, key_id), ["delivered", ""]);
    assert.deepEqual(await change("revoke"), ["closing", "not_fetched"]);
  },
  { clock },
);

testOnEngines(
  "fetched maps: an agentgateway's entries, and none of those with an end",
  async (desk) => {
    const door = await set(desk, MAP, "agentgateway");
    assert.match((await door.fetched()).text, /^# [0-9a-f]{32}\n\[\]\n$/);
    const { key_id } = await issue(desk, ["plan-a"], "dev ada");
    const ending = await issue(desk, ["plan-a"]);
    const end = { expires_at: "2999-01-01T00:00:00Z" };
    await call(desk, "PUT", `/v1/keys/${ending.key_id}/expiry`, end);
    const { text, answer } = await door.fetched();
    assert.equal(answer.headers.get("content-type"), "application/yaml");
    const metadata = '{"rate":5,"per":60,"developer":"dev%20ada","plans":["plan-a"]}';
    assert.equal(
      text.split("\n").slice(1).join("\n"),
      `- {"keyHash":"sha256:${key_id}","metadata":${metadata}}\n`,
    );
  },
);

testOnEngines("fetched maps: of no other kind, organisation or permission", async (desk) => {
  const door = await set(desk);
  const url = "https://gateway.example.org";
  const { id } = await call(desk, "POST", "/v1/gateways", {
    name: "City",
    connection: "synced",
    url,
    secret: "s",
  });
  const other = await desk.otherOrganisation();
  const status = async (path: string, credential: string) => {
    const answer = await desk.send("GET", path, { credential });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await status(`/v1/gateways/${id}/map`, desk.admin), 404);
  assert.equal(await status(door.path, other.admin), 404);
  assert.equal(await status(door.path, await desk.token(["verify"])), 403);
  assert.equal(await status(door.path, await desk.token(["gateways:map"])), 200);
});

testOnEngines("fetched maps: one is removed at once, since nothing was written", async (desk) => {
  const door = await set(desk);
  await issue(desk, ["plan-a"]);
  assert.equal((await door.lines()).length, 1);
  const gone = await call(desk, "DELETE", `/v1/gateways/${door.id}?keys=end`);
  assert.deepEqual([gone.ending, gone.files], [false, []]);
  const answer = await desk.send("GET", door.path);
  await answer.body?.cancel();
  assert.equal(answer.status, 404);
});
