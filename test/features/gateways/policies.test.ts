/** Plans as policies of the original's gateway: compared, or written there by choice. */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { API, standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const access_rights = { [API]: { api_id: API, api_name: API, versions: ["Default"] } };
const PLANS = "/api/portal/policies";

testOnEngines(
  "gateways: where policies are written a plan has one, which follows it; others are left alone",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    await call(desk, "PUT", `${PLANS}/plan-quota`, {
      access_rights,
      rate: 7,
      per: 1,
      quota_max: 9,
      quota_renewal_rate: 60,
      tags: ["gold"],
    });
    const foreign = structuredClone(door.gateway.plan("plan-oauth"));
    await addGateway(desk, door, { policies: "write", plans: ["plan-quota", "plan-new"] });
    const engine = engineOf(desk, door);
    await provision(engine);
    const there = (id: string) => door.gateway.plan(id);
    const written = there("plan-quota");
    assert.ok(written);
    const { rate, per, quota_max, tags } = written;
    assert.deepEqual([rate, per, quota_max, tags], [7, 1, 9, ["gold"]]);
    // A plan that comes later has its policy before its keys.
    await call(desk, "POST", PLANS, { id: "plan-new", name: "New", access_rights });
    const { RawKey, key_id } = await issue(desk, ["plan-new"]);
    await provision(engine);
    assert.deepEqual(await keyThere(desk, key_id), ["delivered", ""]);
    assert.equal(await door.open(RawKey), 200);
    await call(desk, "PUT", `${PLANS}/plan-new`, { quota_max: 5, quota_renewal_rate: 60 });
    await provision(engine);
    const { _id } = await call(desk, "GET", `${PLANS}/plan-new`);
    assert.equal(there(_id)?.quota_max, 5);
    // Deleting is left to people, and so are plans of others.
    const before = door.gateway.plans.length;
    await call(desk, "DELETE", `${PLANS}/plan-new`);
    await provision(engine);
    assert.equal(door.gateway.plans.length, before);
    assert.deepEqual(there("plan-oauth"), foreign);
    assert.equal(await door.open(RawKey), 401);
    assert.ok(!door.calls.some((one) => one.startsWith("DELETE /tyk/policies")));
  },
);

testOnEngines(
  "gateways: policies that a dashboard has are written nowhere, which holds up nothing else",
  async (desk) => {
    await using door = standIn(desk.org_id);
    door.gateway.policiesAreElsewhere = true;
    await plansOf(desk);
    await call(desk, "PUT", `${PLANS}/plan-quota`, { access_rights, quota_max: 9 });
    await call(desk, "POST", PLANS, { id: "plan-new", name: "New", access_rights });
    const id = await addGateway(desk, door, { policies: "write" });
    const engine = engineOf(desk, door);
    const stuck = await issue(desk, ["plan-new"]);
    const other = await issue(desk, ["plan-free"]);
    await provision(engine);
    assert.deepEqual(await keyThere(desk, stuck.key_id), ["stuck", "no_policy plan-new"]);
    assert.equal(await door.open(other.RawKey), 200);
    assert.equal(door.gateway.plan("plan-quota")?.quota_max, 1000);
    const { findings } = await call(desk, "GET", `/v1/gateways/${id}`);
    const codes = findings.map(({ code }: { code: string }) => code);
    assert.ok(codes.includes("policy_differs") && codes.includes("no_policy"), codes.join());
  },
);

testOnEngines(
  "gateways: unless it was chosen policies are compared and never written",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    await call(desk, "PUT", `${PLANS}/plan-quota`, { access_rights, quota_max: 9 });
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    assert.equal(door.gateway.plan("plan-quota")?.quota_max, 1000);
    assert.equal((await call(desk, "GET", `/v1/gateways/${id}`)).policies, "compare");
    // Chosen later it is done then.
    const body = { name: "City", url: door.url, policies: "write" };
    assert.equal((await call(desk, "PUT", `/v1/gateways/${id}`, body)).policies, "write");
    await provision(engine);
    assert.equal(door.gateway.plan("plan-quota")?.quota_max, 9);
  },
);
