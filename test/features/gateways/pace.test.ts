/** How often a gateway is called, and what goes first there. */
import assert from "node:assert/strict";
import { groupOf, Pace, paced, PROBED } from "../../../src/features/gateways/pace.ts";
import type { Policy } from "../../../src/features/gateways/tyk/tyk-policies.ts";
import { probeRevocations } from "../../../src/features/gateways/tyk/tyk-probe.ts";
import type { Outbound } from "../../../src/kernel/outbound/outbound.ts";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const PROBE = "http://127.0.0.1:1/probe";

/** The way out to a gateway that answers at once, and when each call came there. */
function lyingGateway(calls_per_second: number | null) {
  const sent: { url: string; at: number }[] = [];
  const answer = { status: 200, headers: new Headers(), body: "", durationMs: 0 };
  const outbound: Outbound = {
    send: ({ url }) => {
      sent.push({ url, at: performance.now() });
      return Promise.resolve(answer);
    },
    connect: () => Promise.reject(new Error("not here")),
    missing: () => undefined,
  };
  const paces = { own: new Pace(), probes: new Pace() };
  const way = paced(outbound, { calls_per_second, probe_url: PROBE }, paces);
  const send = (url: string) =>
    way.send({ url, method: "GET", headers: {}, timeoutMs: 1000, keptBytes: 0 });
  return { send, sent };
}

Deno.test("pace: calls go out one by one, and those that probe stand behind none of them", async () => {
  const { send, sent } = lyingGateway(100);
  const begun = performance.now();
  const calls = Array.from({ length: 6 }, (_, n) => send(`http://127.0.0.1:1/${n}`));
  await send(PROBE);
  assert.ok(sent.some(({ url }) => url === PROBE) && sent.length < 6);
  await Promise.all(calls);
  // A timer may come a little early.
  assert.ok(performance.now() - begun >= 45, "five waits of 10 ms");
  assert.deepEqual(
    sent.flatMap(({ url }) => url === PROBE ? [] : [url]),
    [0, 1, 2, 3, 4, 5].map((n) => `http://127.0.0.1:1/${n}`),
  );
});

for (const calls_per_second of [null, 10_000]) {
  Deno.test(`pace: a probe goes out 20 times a second at the most, with ${calls_per_second} calls at the gateway`, async () => {
    const { send, sent } = lyingGateway(calls_per_second);
    await Promise.all(Array.from({ length: 11 }, () => send(PROBE)));
    const [first, last] = [sent[0], sent.at(-1)];
    assert.ok(first && last && last.at - first.at >= 495, "ten waits of 50 ms");
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
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    // The comparison stands at the end of a turn.
    await engine.turn();
    assert.equal(await reading(), 8);
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
    for (let n = 0; n < 230; n++) await issue(desk, ["plan-free"]);
    await provision(engine);
    const compare = async (body: object) => {
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`, body);
      await engine.turn();
      const { reading, reconciled } = await call(desk, "GET", `/v1/gateways/${id}`);
      assert.equal(reconciled.compared, 230);
      door.calls.length = 0;
      await provision(engine);
      return [reading, new Set(door.calls.filter((one) => one.startsWith("GET /tyk/keys/")))];
    };
    const [first, some] = await compare({});
    const [second, others] = await compare({});
    assert.deepEqual([first, second], [200, 200]);
    assert.notDeepEqual(some, others);
    assert.equal((await compare({ whole: true, dry_run: true }))[0], 0);
    assert.equal((await compare({ whole: true }))[0], 230);
  },
);
