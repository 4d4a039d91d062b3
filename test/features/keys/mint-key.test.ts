/** Rotate, re-issue, and the keys that the older interface gives a developer. */
import assert from "node:assert/strict";
import type { Replacement } from "../../../src/features/keys/mint-key.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertAnswer, assertFailure, assertInvalid } from "../../support/answers.ts";
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
    assert.deepEqual(await tracesOf(desk, old.key_id), {
      audit: [["credential.rotated", { replaced_by: key_id, expires_at: end }]],
      topics: ["credential.rotated"],
      invalidations: 1,
    });
    const detail = { developer_id: "dev-ada", plans: ["a", "b"], replaces: [old.key_id] };
    assert.deepEqual((await tracesOf(desk, key_id)).audit, [["credential.issued", detail]]);
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
    // By its id its plans can still change, for the overlap; the maps stay with the key that took over.
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

testOnEngines("rotate: the overlap is between nothing and thirty days", async (desk) => {
  const { key_id } = await issue(desk);
  for (
    const [overlap_seconds, sentence] of [
      [-1, "overlap_seconds: expected at least 0"],
      [2592001, "overlap_seconds: expected at most 2592000"],
      [1.5, "overlap_seconds: expected an integer"],
      [undefined, "overlap_seconds: expected a number"],
    ] as const
  ) {
    const response = await desk.send("POST", `${KEYS}/${key_id}/rotate`, {
      body: { overlap_seconds },
    });
    await assertInvalid(response, sentence);
  }
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
    await assertFailure(await reissue("f".repeat(24)), "not_found");
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

const PATH = "/api/portal/developers/dev-ada/keys";

testOnEngines(
  "keys of a developer: are issued at once, bare, once for an Idempotency-Key",
  async (desk) => {
    await issue(desk, ["first"]);
    const body = { apply_policies: ["a", "b", "a"] };
    const headers = { "idempotency-key": "0123456789abcdef" };
    const response = await desk.send("POST", PATH, { body, headers });
    const { RawKey } = await response.clone().json();
    await assertAnswer(response, { RawKey, Password: "" });
    await assertAnswer(await desk.send("POST", PATH, { body, headers }), { RawKey, Password: "" });
    const key = await readKey(desk, sha256(RawKey));
    assert.deepEqual([key.plans, key.developer_id, key.request_id], [["a", "b"], "dev-ada", null]);
    const { keys, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(keys[key.key_id], ["a", "b"]);
    assert.equal(subscriptions.a, key.key_id);
    const detail = { developer_id: "dev-ada", plans: ["a", "b"] };
    assert.deepEqual((await tracesOf(desk, key.key_id)).audit, [["credential.issued", detail]]);
  },
);

testOnEngines(
  "keys of a developer: nobody's, no plan and plans that don't fit are refused",
  async (desk) => {
    await addPlan(desk, "basic", {}, "basic");
    await addPlan(desk, "keyless", {}, "keyless");
    const body = { apply_policies: ["a"] };
    const nobody = "/api/portal/developers/nobody/keys";
    await assertFailure(await desk.send("POST", nobody, { body }), "not_found");
    await issue(desk);
    const refused = async (apply_policies: unknown) =>
      await desk.send("POST", PATH, { body: { apply_policies } });
    await assertInvalid(await refused([]), "apply_policies: expected at least 1");
    await assertInvalid(await refused("a"), "apply_policies: expected an array");
    await assertFailure(await refused(["a", "basic"]), "mixed_auth_types");
    await assertFailure(await refused(["keyless"]), "keyless_plan");
    assert.equal((await storedCredentials(desk)).length, 1);
  },
  { extra: planRecords },
);

testOnEngines(
  "keys of a developer: plans are changed and the key revoked, by its owner's path alone",
  async (desk) => {
    const { key_id } = await issue(desk, ["a"]);
    await issue(desk, ["a"], "dev-bob");
    const body = { apply_policies: ["b"] };
    const foreign = `/api/portal/developers/dev-bob/keys/${key_id}`;
    for (
      const path of [
        foreign,
        `${PATH}/${"f".repeat(64)}`,
        `/api/portal/developers/x/keys/${key_id}`,
      ]
    ) {
      await assertFailure(await desk.send("PUT", path, { body }), "not_found");
      await assertFailure(await desk.send("DELETE", path), "not_found_for_deletion");
    }
    assert.deepEqual((await readKey(desk, key_id)).plans, ["a"]);
    const ok = (Message: string) => ({ Status: "OK", Message, Meta: null });
    const own = `${PATH}/${key_id}`;
    await assertAnswer(await desk.send("PUT", own, { body }), ok("Data updated"));
    assert.deepEqual((await readKey(desk, key_id)).plans, ["b"]);
    await assertAnswer(await desk.send("DELETE", own), ok("Data deleted"));
    assert.equal((await readKey(desk, key_id)).state, "revoked");
    assert.deepEqual((await storedDeveloper(desk)).keys, {});
    await assertFailure(await desk.send("PUT", own, { body }), "not_found");
    await assertFailure(await desk.send("DELETE", own), "not_found_for_deletion");
  },
);

testOnEngines(
  "keys of a developer: all of them need the permission approve",
  async (desk) => {
    const { key_id } = await issue(desk);
    const credential = await desk.token(["portal:write"]);
    const body = { apply_policies: ["a"] };
    for (
      const [method, path] of [["POST", PATH], ["PUT", `${PATH}/${key_id}`], [
        "DELETE",
        `${PATH}/${key_id}`,
      ]] as const
    ) {
      assert.equal((await desk.send(method, path, { credential, body })).status, 403);
    }
  },
);

testOnEngines(
  "expiry at issue: the shortest life of the plans counts; none, 0 and below mean for ever",
  async (desk) => {
    clock.at = start;
    await addPlan(desk, "hour", { key_expires_in: 3600 });
    await addPlan(desk, "day", { key_expires_in: 86400 });
    await addPlan(desk, "none");
    await addPlan(desk, "zero", { key_expires_in: 0 });
    await addPlan(desk, "minus", { key_expires_in: -1 });
    await addPlan(desk, "aeon", { key_expires_in: 9e15 });
    const hour = "2026-03-01T01:00:00.000Z";
    for (
      const [plans, expires_at] of [
        [["hour"], hour],
        [["day", "none", "hour", "minus"], hour],
        [["none"], null],
        [["zero", "minus"], null],
        [["aeon"], null],
        [["unknown"], null],
      ] as const
    ) {
      const { key_id } = await issue(desk, [...plans]);
      assert.equal((await readKey(desk, key_id)).expires_at, expires_at, `${plans}`);
    }
    const issued = await call<{ RawKey: string }>(desk, "POST", PATH, { apply_policies: ["hour"] });
    assert.equal((await readKey(desk, sha256(issued.RawKey))).expires_at, hour);
    clock.at = start + 1000;
    const rotated = await call<Replacement>(
      desk,
      "POST",
      `${KEYS}/${sha256(issued.RawKey)}/rotate`,
      { overlap_seconds: 5 },
    );
    assert.equal(rotated.expires_at, "2026-03-01T01:00:01.000Z");
  },
  { extra: planRecords, clock },
);

testOnEngines(
  "issue by hand: a developer's new key is shown once, and again to a repeat",
  async (desk) => {
    const fields = { name: " Grace Hopper " };
    await call(desk, "POST", "/v1/developers", {
      ...{ id: "dev-grace", email: "Grace@Example.org", fields },
    });
    const path = "/v1/developers/dev-grace/keys";
    const init = { body: { plans: ["a"] }, headers: { "idempotency-key": "issued-by-hand-once" } };
    const fresh: Replacement = await (await desk.send("POST", path, init)).json();
    const { RawKey, key_id } = fresh;
    assert.deepEqual(fresh, {
      ...{ RawKey, Password: "", key_id: sha256(RawKey), expires_at: null, replaces: [] },
      claim: null,
    });
    const shown = await readKey(desk, key_id);
    assert.deepEqual(
      [shown.plans, shown.developer_id, shown.developer_email, shown.request_id],
      [["a"], "dev-grace", "grace@example.org", null],
    );
    assert.equal(shown.developer_name, "Grace Hopper");
    const { data } = await (await desk.send("GET", "/v1/keys?developer=dev-grace")).json();
    assert.deepEqual(data, [shown]);
    assert.deepEqual(await (await desk.send("POST", path, init)).json(), fresh);
    const nobody = { body: { plans: ["a"] } };
    await assertFailure(await desk.send("POST", "/v1/developers/nobody/keys", nobody), "not_found");
  },
);

testOnEngines(
  "kd: with the setting every minted key has that form, and is known by its hash alone",
  async (desk) => {
    const old = await issue(desk);
    assert.match(old.RawKey, /^kd_test_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    const shown = await readKey(desk, old.key_id);
    const random = old.RawKey.split("_")[2] ?? "";
    assert.equal(shown.mask, `kd_test_${random.slice(0, 4)}…${random.slice(-4)}`);
    const bodies = [
      [`${KEYS}/${old.key_id}/rotate`, { overlap_seconds: 0 }],
      [`/v1/key-requests/${old.request_id}/reissue`, undefined],
      [PATH, { apply_policies: ["a"] }],
    ] as const;
    for (const [path, body] of bodies) {
      const { RawKey } = await call<{ RawKey: string }>(desk, "POST", path, body);
      assert.match(RawKey, /^kd_test_/);
    }
  },
  { environment: { KEYDESK_KEY_FORMAT: "kd", KEYDESK_KEY_ENV: "test" } },
);
