/** Gateways that are inspected, which takes seconds. */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { issue } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

testOnEngines(
  "gateways: while one is probed what ends a key does not wait, there nor at another",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    await plansOf(desk);
    const probe_url = `${door.url}/weather/`;
    const id = await addGateway(desk, door, { probe_url });
    await addGateway(desk, other, { name: "Other" });
    const engine = engineOf(desk, door, other);
    await provision(engine);
    const { key_id, RawKey } = await issue(desk, ["plan-free"]);
    await provision(engine);
    assert.deepEqual([await door.open(RawKey), await other.open(RawKey)], [200, 200]);
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    // The probe does not end before the key has been ended at both.
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    door.instead = async ({ url }) => {
      if (!url.startsWith(probe_url)) return undefined;
      begun.resolve();
      await ended.promise;
      return undefined;
    };
    const turn = engine.turn();
    await begun.promise;
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    const isEnded = async () => await door.open(RawKey) === 403 && await other.open(RawKey) === 403;
    await eventually("it is ended at both", isEnded).finally(ended.resolve);
    await turn;
  },
);
