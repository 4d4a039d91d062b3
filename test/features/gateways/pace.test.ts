/** How often a gateway is called, and what goes first there. */
import assert from "node:assert/strict";
import { groupOf, Pace, paced } from "../../../src/features/gateways/pace.ts";
import type { Outbound } from "../../../src/kernel/outbound/outbound.ts";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const PROBE = "http://127.0.0.1:1/probe";

Deno.test("pace: calls go out one by one, and those that probe wait for nothing", async () => {
  const sent: string[] = [];
  const answer = { status: 200, headers: new Headers(), body: "", durationMs: 0 };
  const outbound: Outbound = {
    send: ({ url }) => {
      sent.push(url);
      return Promise.resolve(answer);
    },
    connect: () => Promise.reject(new Error("not here")),
    missing: () => undefined,
  };
  const way = paced(outbound, { calls_per_second: 100, probe_url: PROBE }, new Pace());
  const send = (url: string) =>
    way.send({ url, method: "GET", headers: {}, timeoutMs: 1000, keptBytes: 0 });
  const begun = performance.now();
  const calls = Array.from({ length: 6 }, (_, n) => send(`http://127.0.0.1:1/${n}`));
  await send(PROBE);
  assert.ok(sent.includes(PROBE) && sent.length < 6, "it does not stand behind the others");
  await Promise.all(calls);
  // A timer may come a little early.
  assert.ok(performance.now() - begun >= 45, "five waits of 10 ms");
  assert.deepEqual(
    sent.filter((url) => url !== PROBE),
    [0, 1, 2, 3, 4, 5].map((n) => `http://127.0.0.1:1/${n}`),
  );
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
