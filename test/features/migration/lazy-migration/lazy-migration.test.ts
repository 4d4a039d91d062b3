/** Keys that nobody knows here are learned from the gateway that they come from. */
import assert from "node:assert/strict";
import {
  type Hashing,
  hashOf,
  legacyKey,
  rawKey,
  wrapped,
} from "../../../../examples/moving/keys.ts";
import { nobodysId } from "../../../../src/features/developers/nobodys-id.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { keyThere } from "../../../support/gateways.ts";
import { movableClock, readKey, storedDeveloper, tracesOf } from "../../../support/keys.ts";
import {
  anewOf,
  comesTo,
  keep,
  learn,
  questionsOf,
  testLearning,
  textOf,
} from "../../../support/learning.ts";
import { call } from "../../../support/people.ts";
import { ask, outcome, valid } from "../../../support/verification.ts";

/** A key of each form that a gateway of this setting opens, with how often it is asked about it. */
async function keysAt(door: Parameters<typeof keep>[0], hashing: Hashing) {
  const { gateway } = door;
  const { org_id } = gateway;
  const keys: [key: string, questions: number][] = [];
  for (const h of ["murmur32", "murmur64", "murmur128", "sha256"] as const) {
    keys.push([rawKey(org_id, textOf(keys.length), h), 1]);
  }
  keys.push([legacyKey(org_id, textOf(4)), 1]);
  for (const [key] of keys) await keep(door, key);
  // The gateway wraps it before it keeps it, and at each call.
  await gateway.add("a text that somebody chose", gateway.newSession("dev-ada", ["plan-free"]));
  keys.push(["a text that somebody chose", 1]);
  await keep(door, "a text from before texts were wrapped");
  keys.push(["a text from before texts were wrapped", hashing === "murmur32" ? 3 : 2]);
  return keys;
}

for (const hashing of ["murmur32", "murmur64", "murmur128", "sha256"] as const) {
  testLearning(
    `learning: a gateway that hashes by ${hashing} teaches every key that opens there, once`,
    async (learning) => {
      const { desk, door, provision } = learning;
      const keys = await keysAt(door, hashing);
      await learn(learning);
      for (const [key, questions] of keys) {
        assert.equal(await door.open(key), 200, key);
        const since = door.calls.length;
        const { key_id, plans, developer_id } = await valid(desk, key);
        assert.deepEqual([key_id, plans, developer_id], [sha256(key), ["plan-free"], "dev-ada"]);
        const asked = [...questionsOf(learning, since).values()];
        // A name by which nothing is there is asked about again, behind the canary.
        const expected = Array.from({ length: questions }, (_, n) => n === questions - 1 ? 1 : 2);
        assert.deepEqual(asked, expected);
        await valid(desk, key);
        assert.equal([...questionsOf(learning, since).values()].length, questions);
      }
      const written = () => door.calls.filter((one) => /^(PUT|POST|DELETE) /.test(one)).length;
      const before = written();
      await provision();
      assert.equal(written(), before, "nothing is brought to where it came from");
      const maps = await storedDeveloper(desk);
      for (const [key] of keys) {
        assert.deepEqual(await keyThere(desk, sha256(key)), ["delivered", ""]);
        assert.deepEqual(maps.keys[sha256(key)], ["plan-free"]);
        assert.ok(!door.calls.some((one) => decodeURIComponent(one).includes(key)), key);
      }
      assert.ok(!desk.logLines.join("").includes(textOf(4)));
    },
    { hashing },
  );
}

testLearning("learning: what is kept of a key, and what tells of it", async (learning) => {
  const { desk, door, id } = learning;
  const { org_id } = desk;
  const expires = Date.UTC(2999, 0, 1) / 1000;
  const ada = legacyKey(org_id, textOf(1));
  const remote_id = await keep(door, ada, { expires, date_created: "2020-05-01T00:00:00Z" });
  const nobodys = legacyKey(org_id, textOf(2));
  await keep(door, nobodys, { meta_data: {} });
  await keep(door, "short");
  await learn(learning);
  await valid(desk, ada);
  const shown = await readKey(desk, sha256(ada));
  assert.equal(shown.expires_at, "2999-01-01T00:00:00.000Z");
  assert.equal(shown.created.slice(0, 10), "2020-05-01");
  assert.equal(shown.imported_as, remote_id);
  const { audit, topics, invalidations } = await tracesOf(desk, sha256(ada));
  const detail = { gateway_id: id, remote_id, plans: ["plan-free"] };
  assert.deepEqual(audit, [["key.migrated", detail]]);
  assert.deepEqual([topics, invalidations], [["key.migrated"], 1]);
  assert.equal((await valid(desk, nobodys)).developer_id, nobodysId(org_id));
  assert.deepEqual((await storedDeveloper(desk, nobodysId(org_id))).keys, {});
  await valid(desk, "short");
  const counted = await call(desk, "GET", `/v1/gateways/${id}/lazy-migration`);
  assert.deepEqual([counted.on, counted.migrated], [true, 3]);
});

testLearning("learning: a plan is the one that the policy's other id names", async (learning) => {
  const { desk, door } = learning;
  const key = legacyKey(desk.org_id, textOf(1));
  // The gateway's session names a policy by the id that no plan has here.
  const policy = door.gateway.plan("plan-quota");
  assert.ok(policy);
  door.gateway.plans.push({ ...policy, _id: "5f00000000000000000000aa", id: "plan-quota" });
  await keep(door, key, {}, ["5f00000000000000000000aa"]);
  door.instead = async (request) => {
    if (!request.url.endsWith("/tyk/policies")) return undefined;
    return await Promise.resolve(Response.json(door.gateway.plans));
  };
  await learn(learning);
  assert.deepEqual((await valid(desk, key)).plans, ["plan-quota"]);
});

const UNTAUGHT: Readonly<Record<string, object>> = {
  "of a user name": { basic_auth_data: { password: "x", hash_type: "bcrypt" } },
  "of an OAuth client": { oauth_client_id: "client" },
  "pinned to a certificate": { certificate: "5e9d9544a1dcd60001d0ed20aa" },
  "bound to certificates": { mtls_static_certificate_bindings: ["aa"] },
  "whose calls are signed": { hmac_enabled: true, hmac_string: "s" },
  "of a token's secret": { jwt_data: { secret: "s" } },
  "that has ended": { expires: 1_500_000_000 },
  "that is suspended": { expires: 1 },
  "without policies": { apply_policies: [] },
  "of a policy that is gone": { apply_policies: ["gone"] },
  "of another organisation": { org_id: "5e9d9544a1dcd60001d0ed20" },
};

testLearning("learning: what opens in another way, or not, is never learned", async (learning) => {
  const { desk, door } = learning;
  await learn(learning);
  const inactive = legacyKey(desk.org_id, textOf(99));
  await keep(door, inactive);
  const [first] = door.gateway.plans;
  assert.ok(first);
  first.active = false;
  assert.equal(await outcome(desk, inactive), "unknown");
  first.active = true;
  for (const [n, [what, more]] of Object.entries(UNTAUGHT).entries()) {
    const key = legacyKey(desk.org_id, textOf(n));
    await keep(door, key, { ...more });
    assert.equal(await outcome(desk, key), "unknown", what);
  }
  const since = door.calls.length;
  assert.equal(await outcome(desk, { username: "user", password: "word" }), "unknown");
  assert.equal(await outcome(desk, `kd_live_${"A".repeat(43)}_000000`), "unknown");
  assert.equal(questionsOf(learning, since).size, 0, "nobody is asked");
});

testLearning("learning: off until it is switched on, and over at its end", async (learning) => {
  const { desk, door, id } = learning;
  const key = legacyKey(desk.org_id, textOf(1));
  await keep(door, key);
  const since = door.calls.length;
  assert.equal(await outcome(desk, key), "unknown");
  await learn(learning);
  // It is heard of within a second.
  const other = legacyKey(desk.org_id, textOf(2));
  await keep(door, other);
  await comesTo(() => outcome(desk, key), "valid");
  assert.equal(questionsOf(learning, since).size, 1);
  const stopped = await call(desk, "DELETE", `/v1/gateways/${id}/lazy-migration`);
  assert.deepEqual([stopped.on, stopped.migrated], [false, 1]);
  // What the last second said teaches nothing any more.
  assert.equal(await outcome(desk, other), "unknown");
  assert.equal(await outcome(desk, key), "valid");
});

const clock = movableClock();
testLearning("learning: nobody is asked behind the end", async (learning) => {
  const { desk, door, id } = learning;
  const key = legacyKey(desk.org_id, textOf(1));
  await keep(door, key);
  await learn(learning);
  clock.at += 25 * 60 * 60 * 1000;
  const since = door.calls.length;
  assert.equal(await outcome(desk, key), "unknown");
  assert.equal(questionsOf(learning, since).size, 0);
  assert.equal((await call(desk, "GET", `/v1/gateways/${id}/lazy-migration`)).on, false);
}, { clock });

testLearning(
  "learning: while the gateway can't tell, the answer is 503 and nothing is remembered",
  async (learning) => {
    const { desk, door } = learning;
    const key = legacyKey(desk.org_id, textOf(1));
    await keep(door, key);
    await learn(learning);
    const refused = async () => {
      const answer = await ask(desk, { key });
      const proxied = await desk.send("GET", "/v1/forward-auth", {
        headers: { "x-keydesk-authorization": `Bearer ${desk.admin}`, authorization: key },
        credential: null,
      });
      await answer.body?.cancel();
      await proxied.body?.cancel();
      assert.deepEqual([answer.status, proxied.status], [503, 503]);
      assert.ok(Number(answer.headers.get("retry-after")) > 0);
      assert.ok(Number(proxied.headers.get("retry-after")) > 0);
    };
    // Its Redis is away: then it says 404 for every key.
    door.gateway.redisIsAway = true;
    await refused();
    door.gateway.redisIsAway = false;
    const problems: (() => Response | Promise<Response>)[] = [
      () => Response.json({}, { status: 500 }),
      () => new Response("<html>", { status: 502 }),
      () => Response.json({}, { status: 403 }),
      () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:9" } }),
    ];
    for (const problem of problems) {
      door.instead = () => problem();
      await refused();
    }
    door.instead = () => undefined;
    assert.equal(await outcome(desk, key), "valid");
  },
);

testLearning(
  "learning: a 404 counts where the canary was read before it and behind it",
  async (learning) => {
    const { desk, door } = learning;
    const key = legacyKey(desk.org_id, textOf(1));
    const name = await keep(door, key);
    await learn(learning);
    // Its Redis goes away at the very moment of the question.
    door.instead = (request) => {
      if (request.url.includes(name)) door.gateway.redisIsAway = true;
      return undefined;
    };
    const lost = await ask(desk, { key });
    assert.equal(lost.status, 503, await lost.text());
    door.instead = () => undefined;
    door.gateway.redisIsAway = false;
    assert.equal(await outcome(desk, key), "valid");
    assert.equal(await outcome(desk, legacyKey(desk.org_id, textOf(2))), "unknown");
  },
);

testLearning(
  "learning: a Redis that comes back behind its 404 hides no key, and ends none",
  async (learning) => {
    const { desk, door } = learning;
    const key = legacyKey(desk.org_id, textOf(1));
    const name = await keep(door, key);
    await learn(learning, { ends_at: new Date(clock.at + 7 * 24 * 60 * 60 * 1000).toISOString() });
    let lies = 0;
    // It is away for this answer alone, and the canary is there before it and behind it.
    const lieOnce = () => {
      let isOver = false;
      door.instead = (request) => {
        if (isOver || !request.url.includes(name)) return undefined;
        isOver = true;
        lies++;
        return Response.json({ status: "error", message: "Key not found" }, { status: 404 });
      };
    };
    lieOnce();
    const { key_id } = await valid(desk, key);
    clock.at += 2 * 24 * 60 * 60 * 1000;
    lieOnce();
    const engine = anewOf(learning);
    while (await engine.turn());
    await engine.giveBack();
    assert.equal(lies, 2);
    assert.equal((await call(desk, "GET", `/v1/keys/${key_id}`)).state, "active");
  },
  { clock },
);

testLearning("learning: what no gateway knows is asked about once a minute", async (learning) => {
  const { desk } = learning;
  await learn(learning);
  const since = learning.door.calls.length;
  const garbage = legacyKey(desk.org_id, textOf(1));
  const many = await Promise.all(Array.from({ length: 20 }, () => outcome(desk, garbage)));
  assert.deepEqual(new Set(many), new Set(["unknown"]));
  assert.equal(await outcome(desk, garbage), "unknown");
  assert.deepEqual([...questionsOf(learning, since).values()], [2], "and again behind its canary");
});

testLearning("learning: keys at once are each asked about once", async (learning) => {
  const { desk, door } = learning;
  const keys = Array.from({ length: 20 }, (_, n) => legacyKey(desk.org_id, textOf(n)));
  const names = await Promise.all(keys.map((key) => keep(door, key)));
  await learn(learning, { questions_per_second: 1000 });
  const since = door.calls.length;
  const all = [...keys, ...keys, ...keys];
  const said = await Promise.all(all.map((key) => outcome(desk, key)));
  assert.deepEqual(new Set(said), new Set(["valid"]));
  assert.deepEqual(questionsOf(learning, since), new Map(names.toSorted().map((one) => [one, 1])));
});

testLearning("learning: a gateway that wraps by its organisation alone", async (learning) => {
  const { desk, door } = learning;
  // One that was told no function keeps a chosen text behind its organisation.
  const text = "chosen at a gateway of old";
  const name = await hashOf(desk.org_id + text);
  const { gateway } = door;
  gateway.records.set(`apikey-${name}`, gateway.newSession("dev-ada", ["plan-free"]));
  await learn(learning);
  assert.equal(await outcome(desk, text), "valid");
  assert.notEqual(name, await hashOf(wrapped(desk.org_id, text, "murmur32")));
});

testLearning("learning: what a process counts of it", async ({ desk, door, id }) => {
  await keep(door, "a key that is learned, long enough");
  await learn({ desk, door, id, provision: () => Promise.resolve() });
  await valid(desk, "a key that is learned, long enough");
  assert.equal(await outcome(desk, legacyKey(desk.org_id, textOf(1))), "unknown");
  const { questions, outcomes } = desk.app.ctx.migrator.metrics;
  const counted = Object.fromEntries(outcomes.entries());
  assert.deepEqual([questions, counted.learned, counted.unknown], [4, 1, 1]);
});
