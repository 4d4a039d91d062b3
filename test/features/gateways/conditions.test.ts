/** Keys that were granted on conditions: what the original's gateway can hold of them. */
import assert from "node:assert/strict";
import { offerToken } from "../../../src/features/key-requests/offer-link.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { call } from "../../support/people.ts";

testOnEngines(
  "gateways: limits of a key's own stand there in place of its plans', and the lower ones count",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const limits = { rate: 10, per: 60, quota_max: 5, quota_renewal_rate: 3600 };
    await call(desk, "PUT", "/api/portal/policies/plan-quota", limits);
    await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    let serial = 0;
    const granted = async (conditions: object, plan = "plan-quota") => {
      const by_user = `dev-${serial++}`;
      const email = `${by_user}@example.org`;
      await call(desk, "POST", "/v1/developers", { id: by_user, email });
      const isClient = plan === "plan-oauth";
      const { id } = await call(desk, "POST", "/v1/key-requests", {
        by_user,
        for_plan: plan,
        plans: [plan],
        ...isClient ? { oauth_info: { redirect_uri: "" } } : {},
      });
      if (!("quota" in conditions)) {
        // Nothing less than what was asked: it needs no offer.
        const made = await call(desk, "POST", `/v1/key-requests/${id}/approve`, { conditions });
        await provision(engine);
        return { key_id: made.key_id, RawKey: made.key.RawKey };
      }
      const { offer } = await call(desk, "POST", `/v1/key-requests/${id}/offer`, { conditions });
      const place = { org_id: desk.org_id, request_id: id, offer_id: offer.id };
      const token = offerToken(desk.app.ctx.sealer, place);
      const { one_time_link } = await call(desk, "POST", "/v1/offers/accept", { token });
      const opened = await call(desk, "POST", "/v1/one-time-links/open", {
        token: one_time_link.link.split("#")[1],
      });
      await provision(engine);
      const { RawKey } = opened.key;
      return { key_id: sha256(RawKey), RawKey };
    };
    const { key_id, RawKey } = await granted({
      rate: { calls: 8, seconds: 60 },
      quota: { calls: 2, seconds: 3600 },
      review_at: "2040-01-01T00:00:00Z",
    });
    assert.deepEqual(await keyThere(desk, key_id), ["delivered", ""]);
    const { apply_policies, rate, per, quota_max, quota_renewal_rate } =
      door.gateway.session(key_id) ?? {};
    // A policy would overrule them.
    assert.deepEqual([apply_policies, rate, per, quota_max, quota_renewal_rate], [
      [],
      8,
      60,
      2,
      3600,
    ]);
    const opened = [];
    for (let n = 0; n < 3; n++) opened.push(await door.open(RawKey));
    assert.deepEqual(opened, [200, 200, 403]);
    // Closed and opened again, and lowered with the plan.
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "for now" });
    await provision(engine);
    assert.equal(await door.open(RawKey), 401);
    await call(desk, "POST", `/v1/keys/${key_id}/resume`, { reason: "again" });
    await call(desk, "PUT", "/api/portal/policies/plan-quota", { ...limits, rate: 3 });
    await provision(engine);
    const after = door.gateway.session(key_id);
    assert.deepEqual([after?.apply_policies, after?.rate, after?.quota_max], [[], 3, 2]);

    // One to be looked at again opens as others do; addresses are held by APIs there, not by keys.
    const reviewed = await granted({ review_at: "2040-01-01T00:00:00Z" });
    assert.deepEqual(door.gateway.session(reviewed.key_id)?.apply_policies, ["plan-quota"]);
    const within = await granted({ addresses: ["192.0.2.0/24"] });
    assert.deepEqual(await keyThere(desk, within.key_id), ["stuck", "conditions"]);
    assert.equal(door.gateway.session(within.key_id), undefined);
    const client = await granted({ quota: { calls: 2, seconds: 3600 } }, "plan-oauth");
    assert.deepEqual(await keyThere(desk, client.key_id), ["stuck", "conditions"]);

    // A session that names neither policies nor APIs would open all of them.
    const plan = door.gateway.plans.find(({ id }) => id === "plan-free");
    Object.assign(plan ?? {}, { access_rights: {} });
    const all = await granted({ quota: { calls: 2, seconds: 3600 } }, "plan-free");
    assert.deepEqual(await keyThere(desk, all.key_id), ["stuck", "conditions"]);
  },
);
