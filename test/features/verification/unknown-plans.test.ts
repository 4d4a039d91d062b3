/**
 * A key whose plans nobody knows opens nothing, and opens within a second once one of them exists.
 */
import assert from "node:assert/strict";
import { CATALOGUE, pathTo, POLICIES, post } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, issue } from "../../support/keys.ts";
import { introspected, tokenFor } from "../../support/oauth.ts";
import { heeds, outcome, planWith, valid, withSecond } from "../../support/verification.ts";

const PLAN = "5f1a2b3c4d5e6f7081920009";
const ALLOW = { KEYDESK_UNKNOWN_PLAN: "allow" };

const makePlan = (desk: TestDesk, members: Record<string, unknown> = {}) =>
  post(desk, POLICIES, { _id: PLAN, id: PLAN, name: "Late", ...members });

const forwarded = (desk: TestDesk, key: string) =>
  desk.send("GET", "/v1/forward-auth", { headers: { authorization: key } });

testOnEngines(
  "unknown plans: their keys are refused until one of them is created, and again when it is deleted",
  async (desk) => {
    await withSecond(desk, async (second) => {
      const { RawKey: key } = await issue(desk, [PLAN, "plan-of-nobody"]);
      const each = (expected: string) => {
        const since = performance.now();
        return Promise.all([desk, second].map((one) => heeds(one, key, expected, since)));
      };
      for (const api_id of ["any", undefined]) {
        assert.equal(await outcome(desk, api_id ? { key, api_id } : { key }), "unknown_plan");
      }
      assert.equal(await outcome(second, key), "unknown_plan");
      const refused = await forwarded(desk, key);
      assert.deepEqual(
        [refused.status, refused.headers.get("x-keydesk-reason")],
        [403, "unknown_plan"],
      );
      await makePlan(desk);
      await each("valid");
      // Without access_rights it opens every API; the plan that is still unknown adds nothing.
      assert.deepEqual((await valid(desk, { key, api_id: "any" })).plans, [PLAN]);
      assert.equal((await forwarded(desk, key)).status, 200);
      assert.equal((await desk.send("DELETE", pathTo(POLICIES, PLAN))).status, 200);
      await each("unknown_plan");
    });
  },
);

testOnEngines("unknown plans: of several plans the known ones count", async (desk) => {
  const weather = await planWith(desk, { rate: 7, per: 60 }, ["weather"]);
  const { RawKey: key } = await issue(desk, ["plan-of-nobody", weather]);
  const { plans, rate } = await valid(desk, { key, api_id: "weather" });
  assert.deepEqual([plans, rate?.limit], [[weather], 7]);
  assert.equal(await outcome(desk, { key, api_id: "tides" }), "wrong_api");
});

testOnEngines("unknown plans: an entry of the catalogue makes none known", async (desk) => {
  await post(desk, CATALOGUE, { apis: [{ name: "Weather", policy_id: PLAN, show: true }] });
  const { RawKey } = await issue(desk, [PLAN]);
  assert.equal(await outcome(desk, RawKey), "unknown_plan");
});

testOnEngines(
  "unknown plans: tokens of a client open nothing, and are told as inactive",
  async (desk) => {
    const oauth_info = { redirect_uri: "https://app.example.org" };
    const { Message } = await call<{ Message: string }>(desk, "POST", "/api/portal/requests", {
      by_user: "dev-ada",
      for_plan: PLAN,
      oauth_info,
    });
    const { RawKey: client_id, Password: client_secret } = await call<Record<string, string>>(
      desk,
      "PUT",
      `/api/portal/requests/approve/${Message}`,
    );
    const client = { client_id: client_id ?? "", client_secret: client_secret ?? "" };
    const token = await tokenFor(desk, client);
    assert.equal(await outcome(desk, token), "unknown_plan");
    assert.deepEqual(await introspected(desk, token), { active: false });
    await makePlan(desk, { auth_type: "oauth" });
    await heeds(desk, token, "valid");
    assert.equal((await introspected(desk, token)).active, true);
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, PLAN))).status, 200);
    await heeds(desk, token, "unknown_plan");
    assert.deepEqual(await introspected(desk, token), { active: false });
  },
);

testOnEngines(
  "unknown plans: another organisation's plan of that name makes none known",
  async (desk) => {
    const { RawKey } = await issue(desk, [PLAN]);
    const { admin } = await desk.otherOrganisation();
    await call(desk, "POST", POLICIES, { _id: PLAN, id: PLAN, name: "Theirs" }, {
      credential: admin,
    });
    assert.equal(await outcome(desk, RawKey), "unknown_plan");
  },
);

testOnEngines(
  "unknown plans: KEYDESK_UNKNOWN_PLAN=allow lets such keys in, but for deleted plans",
  async (desk) => {
    const { RawKey: key } = await issue(desk, [PLAN]);
    const { rate, plans } = await valid(desk, { key, api_id: "anything" });
    assert.deepEqual({ rate, plans }, { rate: null, plans: [PLAN] });
    await makePlan(desk, { active: false });
    await heeds(desk, key, "plan_inactive");
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, PLAN))).status, 200);
    await heeds(desk, key, "unknown_plan");
  },
  { environment: ALLOW },
);

testOnEngines(
  "unknown plans: strict references let none in, whatever is set",
  async (desk) => {
    const plan = await makePlan(desk);
    await call(desk, "POST", "/api/portal/developers", { id: "dev-ada", email: "ada@example.org" });
    const { RawKey } = await issue(desk, [plan]);
    assert.equal(await outcome(desk, RawKey), "valid");
    assert.equal((await call<Info>(desk, "GET", "/v1/server")).settings.unknown_plan, "refuse");
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, plan))).status, 200);
    await heeds(desk, RawKey, "unknown_plan");
  },
  { environment: { ...ALLOW, KEYDESK_REFERENCES: "strict" } },
);

interface Info {
  settings: { unknown_plan: string };
  warnings: string[];
  unknown_plans: { count: number; plans: { id: string; deleted: boolean }[] };
}

testOnEngines(
  "unknown plans: /v1/server lists those that the organisation's active keys name",
  async (desk) => {
    const read = async () => {
      const { warnings, unknown_plans } = await call<Info>(desk, "GET", "/v1/server");
      return { warnings, ...unknown_plans };
    };
    assert.deepEqual(await read(), { warnings: [], count: 0, plans: [] });
    const known = await planWith(desk, {});
    const deleted = await planWith(desk, {});
    await issue(desk, [known, "plan-b"]);
    await issue(desk, ["plan-a", deleted]);
    const [suspended, revoked] = [await issue(desk, ["plan-s"]), await issue(desk, ["plan-r"])];
    await call(desk, "POST", `/v1/keys/${suspended.key_id}/suspend`, { reason: "x" });
    await call(desk, "POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "x" });
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, deleted))).status, 200);
    const expected = [deleted, "plan-a", "plan-b"].sort()
      .map((id) => ({ id, deleted: id === deleted }));
    const { warnings, count, plans } = await read();
    assert.deepEqual({ count, plans }, { count: 3, plans: expected });
    assert.equal(warnings.length, 1);
    const [warning = ""] = warnings;
    for (const { id } of expected) assert.ok(warning.includes(JSON.stringify(id)), warning);
    const other = await desk.otherOrganisation();
    const theirs = await call<Info>(desk, "GET", "/v1/server", undefined, {
      credential: other.admin,
    });
    assert.deepEqual([theirs.warnings, theirs.unknown_plans.count], [[], 0]);
    await issue(desk, Array.from({ length: 25 }, (_, n) => `plan-many-${n}`));
    const many = await read();
    assert.deepEqual([many.count, many.plans.length], [28, 20]);
  },
);

testOnEngines(
  "unknown plans: with allow a warning stays, whether there are any or not",
  async (desk) => {
    const { warnings, settings } = await call<Info>(desk, "GET", "/v1/server");
    assert.equal(settings.unknown_plan, "allow");
    assert.match(warnings.join(), /^KEYDESK_UNKNOWN_PLAN=allow: a key for a plan that never was/);
  },
  { environment: ALLOW },
);
