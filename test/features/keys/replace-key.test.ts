/** Rotate and re-issue: one key takes the place of another. */
import assert from "node:assert/strict";
import type { Replacement } from "../../../src/features/keys/mint-key.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import {
  addPlan,
  call,
  issue,
  KEYS,
  movableClock,
  planRecords,
  readKey,
  storedDeveloper,
  tracesOf,
  tracesSinceIssue,
} from "../../support/keys.ts";
import { storedCredentials } from "../../support/stored.ts";

const reason = "because";
const clock = movableClock();
const start = clock.at;

testOnEngines(
  "rotate: the old key lives on for the overlap, the new one takes its place",
  async (desk) => {
    clock.at = start;
    const old = await issue(desk, ["a", "b"]);
    const path = `${KEYS}/${old.key_id}/rotate`;
    const fresh = await call<Replacement>(desk, "POST", path, { overlap_seconds: 60 });
    const { RawKey, key_id } = fresh;
    const end = "2026-03-01T00:01:00.000Z";
    assert.deepEqual(fresh, {
      RawKey,
      Password: "",
      key_id: sha256(RawKey),
      expires_at: null,
      replaces: [{ key_id: old.key_id, expires_at: end }],
      claim: null,
    });
    const shown = await readKey(desk, key_id);
    assert.deepEqual([shown.state, shown.plans, shown.developer_id, shown.request_id], [
      "active",
      ["a", "b"],
      "dev-ada",
      old.request_id,
    ]);
    const before = await readKey(desk, old.key_id);
    assert.deepEqual(
      [before.state, before.expires_at, before.replaced_by, before.reason],
      ["active", end, key_id, "rotated"],
    );
    const { keys, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(keys, { [key_id]: ["a", "b"] });
    assert.deepEqual(subscriptions, { a: key_id, b: key_id });
    clock.at = start + 60_000;
    assert.equal((await readKey(desk, old.key_id)).state, "expired");
    assert.equal((await readKey(desk, key_id)).state, "active");
    assert.deepEqual(await tracesSinceIssue(desk, old.key_id), {
      audit: [["key.rotated", { replaced_by: key_id, expires_at: end }]],
      topics: ["key.rotated"],
      invalidations: 1,
    });
    const detail = { developer_id: "dev-ada", plans: ["a", "b"], replaces: [old.key_id] };
    assert.deepEqual((await tracesOf(desk, key_id)).audit, [["key.issued", detail]]);
  },
  { clock },
);

testOnEngines(
  "rotate: no request changes the plans of a key that was rotated or has expired",
  async (desk) => {
    clock.at = start;
    const rotated = await issue(desk, ["a"]);
    const expired = await issue(desk, ["a"]);
    await call(desk, "POST", `${KEYS}/${rotated.key_id}/rotate`, { overlap_seconds: 60 });
    const expires_at = "2026-03-01T00:00:01Z";
    await call(desk, "PUT", `${KEYS}/${expired.key_id}/expiry`, { expires_at });
    clock.at += 1000;
    const { keys } = await storedDeveloper(desk);
    for (const { key_id } of [rotated, expired]) {
      const id = await create(desk, smallRequest({ key: key_id, for_plan: "b" }));
      const response = await desk.send("PUT", `/api/portal/requests/approve/${id}`);
      await assertFailure(response, "unknown_key");
    }
    // By its id its plans can still change, for the overlap; the maps stay with the key that took
    // over.
    await call(desk, "PUT", `${KEYS}/${rotated.key_id}/plans`, { plans: ["c"] });
    assert.deepEqual((await storedDeveloper(desk)).keys, keys);
  },
  { clock },
);

testOnEngines(
  "rotate: without an overlap the old key is over at once",
  async (desk) => {
    const old = await issue(desk);
    await call(desk, "POST", `${KEYS}/${old.key_id}/rotate`, { overlap_seconds: 0 });
    assert.equal((await readKey(desk, old.key_id)).state, "expired");
  },
);

testOnEngines("rotate: a key is rotated once, and a rotated one must end", async (desk) => {
  const { key_id } = await issue(desk);
  const rotate = () =>
    desk.send("POST", `${KEYS}/${key_id}/rotate`, { body: { overlap_seconds: 60 } });
  assert.equal((await rotate()).status, 200);
  await assertFailure(await rotate(), "key_rotated");
  const expiry = `${KEYS}/${key_id}/expiry`;
  await assertFailure(await desk.send("PUT", expiry, { body: {} }), "key_rotated");
  await call(desk, "PUT", expiry, { expires_at: "2099-01-01T00:00:00Z" });
  assert.equal((await storedCredentials(desk)).length, 2);
});

testOnEngines("rotate: a suspended key is refused, and nothing is minted", async (desk) => {
  const { key_id } = await issue(desk);
  await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason });
  const body = { overlap_seconds: 60 };
  await assertFailure(
    await desk.send("POST", `${KEYS}/${key_id}/rotate`, { body }),
    "key_suspended",
  );
  assert.equal((await storedCredentials(desk)).length, 1);
});

testOnEngines(
  "rotate: an own end comes before the overlap's, and goes over where plans set none",
  async (desk) => {
    clock.at = start;
    const { key_id } = await issue(desk);
    const expires_at = "2026-03-01T00:00:30.000Z";
    await call(desk, "PUT", `${KEYS}/${key_id}/expiry`, { expires_at });
    const fresh = await call<Replacement>(desk, "POST", `${KEYS}/${key_id}/rotate`, {
      overlap_seconds: 60,
    });
    assert.deepEqual(fresh.replaces, [{ key_id, expires_at }]);
    assert.equal(fresh.expires_at, expires_at);
  },
  { clock },
);

testOnEngines(
  "rotate: user names and OAuth clients are replaced with their secrets",
  async (desk) => {
    await addPlan(desk, "basic", {}, "basic");
    await addPlan(desk, "oauth", {}, "oauth");
    for (const plan of ["basic", "oauth"]) {
      const old = await issue(desk, [plan], `dev-${plan}`);
      const fresh = await call<Replacement>(desk, "POST", `${KEYS}/${old.key_id}/rotate`, {
        overlap_seconds: 60,
      });
      assert.notEqual(fresh.RawKey, old.RawKey);
      assert.notEqual(fresh.Password, old.Password);
      assert.ok(fresh.Password.length >= 32);
      assert.equal(fresh.client_id, plan === "oauth" ? fresh.RawKey : undefined);
      const { oauth_clients } = await storedDeveloper(desk, `dev-${plan}`);
      const ids = Object.values(oauth_clients).flat().map((client) => client.client_id);
      assert.deepEqual(ids, plan === "oauth" ? [fresh.RawKey] : []);
    }
  },
  { extra: planRecords },
);

testOnEngines("rotate: Idempotency-Key gives the same key again", async (desk) => {
  const { key_id } = await issue(desk);
  const headers = { "idempotency-key": "0123456789abcdef" };
  const once = () =>
    call(desk, "POST", `${KEYS}/${key_id}/rotate`, { overlap_seconds: 60 }, { headers });
  assert.deepEqual(await once(), await once());
  assert.equal((await storedCredentials(desk)).length, 2);
});

testOnEngines(
  "reissue: the old key dies at once, the new one has its plans, developer and request",
  async (desk) => {
    const old = await issue(desk, ["a"]);
    await call(desk, "PUT", `${KEYS}/${old.key_id}/plans`, { plans: ["a", "b"] });
    const path = `/v1/key-requests/${old.request_id}/reissue`;
    const fresh = await call<Replacement>(desk, "POST", path);
    assert.deepEqual(fresh.replaces.map(({ key_id }) => key_id), [old.key_id]);
    const revoked = await readKey(desk, old.key_id);
    assert.deepEqual(
      [revoked.state, revoked.reason, revoked.replaced_by],
      ["revoked", "re-issued", fresh.key_id],
    );
    const shown = await readKey(desk, fresh.key_id);
    assert.deepEqual([shown.plans, shown.request_id, shown.developer_id], [
      ["a", "b"],
      old.request_id,
      "dev-ada",
    ]);
    const { keys, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(keys, { [fresh.key_id]: ["a", "b"] });
    assert.deepEqual(subscriptions, { a: fresh.key_id, b: fresh.key_id });
    const traces = await tracesOf(desk, old.request_id);
    assert.deepEqual(traces.audit.at(-1), ["key_request.reissued", { key_id: fresh.key_id }]);
    const again = await call<Replacement>(desk, "POST", path);
    assert.deepEqual(again.replaces.map(({ key_id }) => key_id), [fresh.key_id]);
  },
);

testOnEngines(
  "reissue: of a rotated key both die, the new one is the only one left",
  async (desk) => {
    const old = await issue(desk);
    const rotated = await call<Replacement>(desk, "POST", `${KEYS}/${old.key_id}/rotate`, {
      overlap_seconds: 60,
    });
    const fresh = await call<Replacement>(
      desk,
      "POST",
      `/v1/key-requests/${old.request_id}/reissue`,
    );
    assert.deepEqual(
      fresh.replaces.map(({ key_id }) => key_id).sort(),
      [old.key_id, rotated.key_id].sort(),
    );
    assert.deepEqual(Object.keys((await storedDeveloper(desk)).keys), [fresh.key_id]);
  },
);

testOnEngines(
  "reissue: what was not issued, was revoked or suspended, or changed another key is refused",
  async (desk) => {
    const reissue = (id: string) => desk.send("POST", `/v1/key-requests/${id}/reissue`);
    await assertFailure(await reissue(await create(desk, smallRequest())), "not_issued");
    const { key_id, request_id } = await issue(desk);
    const change = await create(desk, smallRequest({ key: key_id, for_plan: "other" }));
    await desk.send("PUT", `/api/portal/requests/approve/${change}`);
    await assertFailure(await reissue(change), "not_issued");
    await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason });
    await assertFailure(await reissue(request_id), "key_suspended");
    await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason });
    await assertFailure(await reissue(request_id), "key_revoked");
    assert.equal((await storedCredentials(desk)).length, 1);
  },
);

testOnEngines("reissue: Idempotency-Key gives the same key again", async (desk) => {
  const { request_id } = await issue(desk);
  const headers = { "idempotency-key": "0123456789abcdef" };
  const once = () =>
    call(desk, "POST", `/v1/key-requests/${request_id}/reissue`, undefined, { headers });
  assert.deepEqual(await once(), await once());
  assert.equal((await storedCredentials(desk)).length, 2);
});
