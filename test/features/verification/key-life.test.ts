/**
 * Verification heeds what becomes of a key, on this desk and on every other one, within a second.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { call, KEYS, movableClock, readKey } from "../../support/keys.ts";
import {
  changePlan,
  close,
  heeds,
  issueKnown,
  makeKnown,
  openSecond,
  outcome,
  planWith,
  valid,
  withSecond,
} from "../../support/verification.ts";

testOnEngines("verify: a key opens from its approval on, and says whose it is", async (desk) => {
  await makeKnown(desk, ["plan-weather"]);
  const id = await create(
    desk,
    smallRequest({ portal_developer: { id: "dev-ada", email: "Ada@Example.org" } }),
  );
  assert.equal(await outcome(desk, "not-yet"), "unknown");
  const { RawKey } = await approve(desk, id);
  const { key_id, mask } = await readKey(desk, sha256(RawKey));
  assert.deepEqual(await valid(desk, RawKey), {
    valid: true,
    key_id,
    mask,
    kind: "token",
    plans: ["plan-weather"],
    tags: [],
    developer_id: "dev-ada",
    developer_email: "ada@example.org",
    developer_email_verified: false,
    expires_at: null,
    rate: null,
    quota: null,
  });
});

testOnEngines(
  "verify: suspend, resume and revoke are heeded by both of two desks",
  async (desk) => {
    await withSecond(desk, async (second) => {
      const { RawKey, key_id } = await issueKnown(desk);
      const steps = [["suspend", "suspended"], ["resume", "valid"], ["revoke", "revoked"]] as const;
      for (const one of [desk, second]) await valid(one, RawKey);
      for (const [step, expected] of steps) {
        await call(desk, "POST", `${KEYS}/${key_id}/${step}`, { reason: "test" });
        const changedAt = performance.now();
        await Promise.all([desk, second].map((one) => heeds(one, RawKey, expected, changedAt)));
      }
      // Nothing brings it back.
      for (const one of [desk, second]) assert.equal(await outcome(one, RawKey), "revoked");
    });
  },
);

testOnEngines(
  "verify: a revocation through the other desk is heeded while both verify without pause",
  async (desk) => {
    await withSecond(desk, async (second) => {
      const keys = await Promise.all(
        Array.from({ length: 12 }, (_, n) => issueKnown(desk, ["plan-weather"], `dev-${n}`)),
      );
      await Promise.all(keys.map(async ({ RawKey, key_id }) => {
        for (const one of [desk, second]) await valid(one, RawKey);
        await call({ ...desk, ...second }, "POST", `${KEYS}/${key_id}/revoke`, { reason: "x" });
        const changedAt = performance.now();
        await Promise.all(
          [desk, second].map((one) => heeds(one, RawKey, "revoked", changedAt)),
        );
      }));
    });
  },
);

const clock = movableClock();
const start = clock.at;

testOnEngines(
  "verify: a key ends at its expiry to the millisecond, and lives again with a later one",
  async (desk) => {
    clock.at = start;
    const { RawKey, key_id } = await issueKnown(desk);
    await valid(desk, RawKey);
    const path = `${KEYS}/${key_id}/expiry`;
    const expires_at = new Date(clock.at + 60_000).toISOString();
    await call(desk, "PUT", path, { expires_at });
    const changedAt = performance.now();
    let began = changedAt;
    while ((await valid(desk, RawKey)).expires_at !== expires_at) {
      assert.ok(began - changedAt <= 1000, "a second later it is known");
      began = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    clock.at = start + 59_999;
    assert.equal(await outcome(desk, RawKey), "valid");
    clock.at++;
    assert.equal(await outcome(desk, RawKey), "expired");
    await call(desk, "PUT", path, { expires_at: null });
    await heeds(desk, RawKey, "valid");
  },
  { clock },
);

testOnEngines(
  "verify: after a rotation both keys open until the overlap is over, then the new one",
  async (desk) => {
    clock.at = start;
    const { RawKey, key_id } = await issueKnown(desk);
    await valid(desk, RawKey);
    const path = `${KEYS}/${key_id}/rotate`;
    const fresh = await call<{ raw_key?: string; RawKey?: string; key?: string }>(
      desk,
      "POST",
      path,
      { overlap_seconds: 60 },
    );
    const next = Object.values(fresh).find((text) => text && text.length > 100) ?? "";
    assert.equal(await outcome(desk, next), "valid");
    // The look that makes the end of the old one known.
    const expires_at = new Date(start + 60_000).toISOString();
    while ((await valid(desk, RawKey)).expires_at !== expires_at) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    clock.at = start + 60_000;
    assert.deepEqual([await outcome(desk, RawKey), await outcome(desk, next)], [
      "expired",
      "valid",
    ]);
  },
  { clock },
);

testOnEngines("verify: other plans of a key open other APIs", async (desk) => {
  const weather = await planWith(desk, {}, ["weather"]);
  const tides = await planWith(desk, { tags: ["sea"] }, ["tides"]);
  const { RawKey, key_id } = await issueKnown(desk, [weather]);
  const asks = (api_id: string) => ({ key: RawKey, api_id });
  assert.equal(await outcome(desk, asks("weather")), "valid");
  assert.equal(await outcome(desk, asks("tides")), "wrong_api");
  await call(desk, "PUT", `${KEYS}/${key_id}/plans`, { plans: [tides] });
  await heeds(desk, asks("weather"), "wrong_api");
  const { plans, tags } = await valid(desk, asks("tides"));
  assert.deepEqual({ plans, tags }, { plans: [tides], tags: ["sea"] });
});

testOnEngines("verify: the last use is written, at once when the desk closes", async (desk) => {
  const { RawKey, key_id } = await issueKnown(desk);
  const other = await issueKnown(desk, ["plan-weather"], "dev-bob");
  const before = Date.now();
  const app = await openSecond(desk);
  const second = { app, admin: desk.admin };
  await valid(second, RawKey);
  await valid(second, RawKey);
  await close(app);
  const { last_used_at } = await readKey(desk, key_id);
  assert.ok(Date.parse(last_used_at ?? "") >= before, String(last_used_at));
  assert.equal((await readKey(desk, other.key_id)).last_used_at, null);
});

testOnEngines("verify: a refused use is no use", async (desk) => {
  const plan = await planWith(desk, { active: false });
  const { RawKey, key_id } = await issueKnown(desk, [plan]);
  const app = await openSecond(desk);
  assert.equal(await outcome({ app, admin: desk.admin }, RawKey), "plan_inactive");
  await close(app);
  assert.equal((await readKey(desk, key_id)).last_used_at, null);
  await changePlan(desk, plan, { active: true });
  await heeds(desk, RawKey, "valid");
});

testOnEngines("verify: a developer's deletion ends their keys", async (desk) => {
  const { RawKey } = await issueKnown(desk);
  await valid(desk, RawKey);
  const response = await desk.send("DELETE", "/api/portal/developers/dev-ada");
  assert.equal(response.status, 200, await response.text());
  await heeds(desk, RawKey, "revoked");
});
