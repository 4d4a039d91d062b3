/** Gateways that go: their keys are left there, or ended first. */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const clock = movableClock();
const quota = ["plan-quota"];

testOnEngines(
  "gateways: one is removed and leaves its keys, or ends each of them first and reads it back",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    const one = await issue(desk, quota);
    const other = await issue(desk, ["plan-free"]);
    await provision(engine);
    const { key } = await door.gateway.add("by-hand", door.gateway.newSession("", quota));
    const opens = async () => [await door.open(one.RawKey), await door.open(other.RawKey)];
    const state = async () => (await call(desk, "GET", `/v1/gateways/${id}`)).state;
    const end = `/v1/gateways/${id}?keys=end`;
    assert.deepEqual(await call(desk, "DELETE", end), { left: 0, ending: true, files: [] });
    assert.equal(await state(), "ending");
    // Somebody thinks better of it.
    await call(desk, "POST", `/v1/gateways/${id}/resume`);
    await provision(engine);
    assert.deepEqual([await state(), await opens()], ["active", [200, 200]]);

    await call(desk, "DELETE", end);
    door.instead = () => new Response("", { status: 502 });
    await engine.turn();
    assert.equal(await state(), "ending");
    door.instead = () => undefined;
    const next = engineOf(desk, door);
    await engine.giveBack();
    // In flight while they are ended: it comes back, and is ended again before the gateway goes.
    await door.open(one.RawKey, async () => void await next.turn());
    for (let n = 0; n < 5; n++) {
      await next.turn();
      clock.at += 15_001;
    }
    assert.deepEqual(await opens(), [403, 403]);
    const gone = await desk.send("GET", `/v1/gateways/${id}`);
    await gone.body?.cancel();
    assert.equal(gone.status, 404);
    // What nobody decided here stays.
    assert.equal(await door.open(key), 200);
    const { data } = await call(desk, "GET", "/v1/audit-log?action=gateway.deleted");
    assert.equal(data.length, 1);

    // The other way leaves them.
    const again = await addGateway(desk, door);
    const third = await issue(desk, quota);
    await provision(next);
    const left = await call(desk, "DELETE", `/v1/gateways/${again}`);
    assert.deepEqual([left.ending, left.left >= 1], [false, true]);
    assert.equal(await door.open(third.RawKey), 200);
  },
  { clock },
);
