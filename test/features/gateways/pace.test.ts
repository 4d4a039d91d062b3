/** How often a gateway is called, and what goes first there. */
import assert from "node:assert/strict";
import { groupOf, Pace, paced, PROBED } from "../../../src/features/gateways/pace.ts";
import type { Policy } from "../../../src/features/gateways/tyk/tyk-policies.ts";
import { probeRevocations } from "../../../src/features/gateways/tyk/tyk-probe.ts";
import type { Outbound } from "../../../src/kernel/outbound/outbound.ts";
import { testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const PROBE = "http://127.0.0.1:1/probe";

/**
 * The way out to a gateway that answers at once, and when each call came there, by a clock that
 * stands still until `pass` takes it to the next moment at which a call may go out.
 */
function lyingGateway(calls_per_second: number | null) {
  let now = 0;
  const resting: { until: number; go: () => void }[] = [];
  const time = {
    now: () => now,
    rest: (ms: number) => new Promise<void>((go) => void resting.push({ until: now + ms, go })),
  };
  const pass = async () => {
    now = Math.min(...resting.map(({ until }) => until));
    for (const { go } of resting.filter(({ until }) => until <= now)) go();
    resting.splice(0, resting.length, ...resting.filter(({ until }) => until > now));
    await settled();
  };
  const sent: { url: string; at: number }[] = [];
  const answer = { status: 200, headers: new Headers(), body: "", durationMs: 0 };
  const outbound: Outbound = {
    send: ({ url }) => {
      sent.push({ url, at: now });
      return Promise.resolve(answer);
    },
    connect: () => Promise.reject(new Error("not here")),
    missing: () => undefined,
  };
  const paces = { own: new Pace(time), probes: new Pace(time) };
  const way = paced(outbound, { calls_per_second, probe_url: PROBE }, paces);
  const send = (url: string) =>
    way.send({ url, method: "GET", headers: {}, timeoutMs: 1000, keptBytes: 0 });
  return { send, sent, pass };
}

/** Whatever goes on without a wait has ended. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("pace: calls go out one by one, and those that probe stand behind none of them", async () => {
  const { send, sent, pass } = lyingGateway(100);
  const calls = Array.from({ length: 6 }, (_, n) => send(`http://127.0.0.1:1/${n}`));
  await send(PROBE);
  assert.deepEqual(sent, [{ url: "http://127.0.0.1:1/0", at: 0 }, { url: PROBE, at: 0 }]);
  for (let n = 1; n < 6; n++) await pass();
  await Promise.all(calls);
  assert.deepEqual(
    sent.filter(({ url }) => url !== PROBE),
    [0, 1, 2, 3, 4, 5].map((n) => ({ url: `http://127.0.0.1:1/${n}`, at: n * 10 })),
  );
});

for (const calls_per_second of [null, 10_000]) {
  Deno.test(`pace: a probe goes out 20 times a second at the most, with ${calls_per_second} calls at the gateway`, async () => {
    const { send, sent, pass } = lyingGateway(calls_per_second);
    const probes = Array.from({ length: 11 }, () => send(PROBE));
    await settled();
    for (let n = 1; n < 11; n++) await pass();
    await Promise.all(probes);
    assert.deepEqual(sent.map(({ at }) => at), Array.from({ length: 11 }, (_, n) => n * 50));
  });
}

Deno.test("probe: a key that opens for ever is called 200 times in a run at the most", async () => {
  let probed = 0;
  let made = 0;
  const calls = {
    open: () => Promise.resolve(++probed && 200),
    send: (method: string) => {
      const json = { key: `key-${made}`, key_hash: `hash-${made++}` };
      return Promise.resolve({ status: method === "GET" ? 404 : 200, json, date: NaN });
    },
  };
  const named = (id: string, quota: number) => ({ id, names: [id], quota, rate: 0, per: 0 });
  const { findings, closing } = await probeRevocations(
    { calls, org_id: "o", url: PROBE, version: "v5.15.0", watchedMs: 60_000, restMs: 0 },
    // as: what is read of one.
    [named("plan-free", -1), named("plan-quota", 9)] as unknown as Policy[],
    () => Promise.resolve(),
  );
  assert.equal(probed, PROBED.inRun);
  assert.equal(findings[0]?.code, "cache_on");
  assert.deepEqual([closing.cache, closing.free, closing.quota], ["on", null, null]);
});

Deno.test("pace: few keys are under way where few calls may be made", () => {
  const sizes = [null, 1, 80, 10_000].map((calls_per_second) => groupOf({ calls_per_second }, 64));
  assert.deepEqual(sizes, [64, 1, 10, 64]);
});

testOnEngines(
  "pace: a revocation overtakes new keys that wait at a gateway with a limit",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door, { calls_per_second: 200 });
    const engine = engineOf(desk, door);
    const old = await issue(desk, ["plan-free"]);
    await provision(engine);
    for (let n = 0; n < 60; n++) await issue(desk, ["plan-free"]);
    let isRevoked = false;
    door.instead = async ({ method }) => {
      if (method === "POST" && !isRevoked) {
        isRevoked = true;
        await call(desk, "POST", `/v1/keys/${old.key_id}/revoke`, { reason: "gone" });
      }
      return undefined;
    };
    door.calls.length = 0;
    await provision(engine);
    const ended = door.calls.indexOf(`DELETE /tyk/keys/${old.key_id}`);
    const made = door.calls.flatMap((one, n) => one.startsWith("POST /tyk/keys/") ? [n] : []);
    assert.equal(made.length, 60);
    const before = made.filter((n) => n < ended).length;
    assert.ok(ended > 0 && before <= 25, `${before} keys were made before it`);
    assert.deepEqual((await call(desk, "GET", `/v1/gateways/${id}`)).counts.waiting, 0);
  },
);

testOnEngines(
  "pace: what is only read waits behind what changed, and how much is left is told",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door, { calls_per_second: 400 });
    const engine = engineOf(desk, door);
    const keys: { key_id: string }[] = [];
    for (let n = 0; n < 8; n++) keys.push(await issue(desk, ["plan-free"]));
    await provision(engine);
    const reading = async () => (await call(desk, "GET", `/v1/gateways/${id}`)).reading;
    assert.equal(await reading(), 0);
    // A comparison is at the end of a turn, but one that takes long has keys read beside it.
    await eventually("a comparison is over before a key is read", async () => {
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
      await engine.turn();
      return await reading() === 8;
    });
    const fresh = await issue(desk, ["plan-free"]);
    door.calls.length = 0;
    await provision(engine);
    const made = door.calls.findIndex((one) => one.startsWith("POST /tyk/keys/"));
    const read = door.calls.findIndex((one) => keys.some(({ key_id }) => one.includes(key_id)));
    assert.ok(made >= 0 && made < read, `made at ${made}, read at ${read}`);
    assert.equal(await reading(), 0);
    assert.deepEqual(await keyThere(desk, fresh.key_id), ["delivered", ""]);
  },
);

testOnEngines(
  "pace: a comparison reads a sample alone, chosen by chance, and a dry one nothing",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    const keys: { key_id: string }[] = [];
    for (let n = 0; n < 230; n++) keys.push(await issue(desk, ["plan-free"]));
    await provision(engine);
    /** The keys that are read of a comparison, in its turn or later. */
    const compare = async (body: object) => {
      door.calls.length = 0;
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`, body);
      await engine.turn();
      const { reconciled } = await call(desk, "GET", `/v1/gateways/${id}`);
      assert.equal(reconciled.compared, 230);
      await provision(engine);
      return new Set(
        keys.filter(({ key_id }) => door.calls.some((one) => one === `GET /tyk/keys/${key_id}`)),
      );
    };
    const some = await compare({});
    const others = await compare({});
    assert.deepEqual([some.size, others.size], [200, 200]);
    assert.notDeepEqual(some, others);
    assert.equal((await compare({ whole: true, dry_run: true })).size, 0);
    assert.equal((await compare({ whole: true })).size, 230);
  },
);
