/** Suspend, resume, revoke, plans and expiry of a key, each with its traces. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  addPlan,
  call,
  issue,
  KEYS,
  movableClock,
  planRecords,
  readKey,
  storedDeveloper,
  tracesSinceIssue,
} from "../../support/keys.ts";

const reason = "because";

async function refused(
  desk: TestDesk,
  method: string,
  path: string,
  body: unknown,
  code: Parameters<typeof assertFailure>[1],
): Promise<void> {
  await assertFailure(await desk.send(method, `${KEYS}/${path}`, { body }), code);
}

testOnEngines("key: is read by its id and found by itself, and never shown", async (desk) => {
  const { key_id, RawKey, request_id } = await issue(desk, ["a", "b"]);
  const key = await readKey(desk, key_id);
  const inner = JSON.parse(atob(RawKey)).id;
  assert.deepEqual({ ...key, created: "" }, {
    key_id,
    mask: `${inner.slice(0, 4)}…${inner.slice(-4)}`,
    kind: "token",
    state: "active",
    denied: "unknown_plan",
    plans: ["a", "b"],
    developer_id: "dev-ada",
    developer_email: "",
    developer_name: "",
    key_request_id: request_id,
    request_id,
    created: "",
    expires_at: null,
    last_used_at: null,
    state_changed_at: null,
    reason: null,
    replaced_by: null,
    conditions: null,
    algorithm: "sha256",
    use_before: null,
    undo: null,
    leaked: null,
    imported_as: null,
    at_gateways: [],
    name: "",
    environment: "",
    note: "",
    tags: [],
    revision: key.revision,
  });
  assert.deepEqual(await call(desk, "POST", `${KEYS}/find`, { key: RawKey }), key);
  const text = JSON.stringify(key) + desk.logLines.join("");
  assert.ok(!text.includes(RawKey) && !text.includes(inner));
});

testOnEngines(
  "suspend and resume: the state changes there and back, the maps stay",
  async (desk) => {
    const { key_id } = await issue(desk);
    const before = await storedDeveloper(desk);
    const suspended = await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason: " odd " });
    assert.equal(suspended.state, "suspended");
    assert.equal(suspended.reason, "odd");
    assert.ok(suspended.state_changed_at !== null);
    assert.deepEqual(await readKey(desk, key_id), suspended);
    await refused(desk, "POST", `${key_id}/suspend`, { reason }, "key_suspended");
    const resumed = await call(desk, "POST", `${KEYS}/${key_id}/resume`, { reason });
    assert.equal(resumed.state, "active");
    await refused(desk, "POST", `${key_id}/resume`, { reason }, "key_not_suspended");
    assert.deepEqual(await storedDeveloper(desk), before);
    assert.deepEqual(await tracesSinceIssue(desk, key_id), {
      audit: [
        ["key.suspended", { reason: "odd" }],
        ["key.resumed", { reason }],
      ],
      topics: ["key.suspended", "key.resumed"],
      invalidations: 2,
    });
  },
);

testOnEngines("revoke: is final, and takes the key out of its developer's maps", async (desk) => {
  const { key_id } = await issue(desk, ["a", "b"]);
  const other = await issue(desk, ["b"]);
  const revoked = await call(desk, "POST", `${KEYS}/${key_id}/revoke`, { reason });
  assert.equal(revoked.state, "revoked");
  assert.equal(revoked.reason, reason);
  const { keys, subscriptions } = await storedDeveloper(desk);
  assert.deepEqual(keys, { [other.key_id]: ["b"] });
  assert.deepEqual(subscriptions, { b: other.key_id });
  for (const verb of ["suspend", "resume", "revoke"]) {
    await refused(desk, "POST", `${key_id}/${verb}`, { reason }, "key_revoked");
  }
  await refused(desk, "POST", `${key_id}/rotate`, { overlap_seconds: 0 }, "key_revoked");
  await refused(desk, "PUT", `${key_id}/plans`, { plans: ["c"] }, "key_revoked");
  await refused(desk, "PUT", `${key_id}/expiry`, {}, "key_revoked");
  assert.deepEqual(await readKey(desk, key_id), revoked);
  const { audit, topics, invalidations } = await tracesSinceIssue(desk, key_id);
  assert.deepEqual(audit, [["key.revoked", { reason }]]);
  assert.deepEqual([topics, invalidations], [["key.revoked"], 1]);
});

testOnEngines(
  "revoke: an OAuth client leaves oauth_clients, its neighbours stay",
  async (desk) => {
    await addPlan(desk, "plan-oauth", {}, "oauth");
    const one = await issue(desk, ["plan-oauth"]);
    const two = await issue(desk, ["plan-oauth"]);
    await call(desk, "POST", `${KEYS}/${one.key_id}/revoke`, { reason });
    const { oauth_clients, subscriptions } = await storedDeveloper(desk);
    const clients = Object.values(oauth_clients).flat();
    assert.deepEqual(clients.map((client) => client.client_id), [two.client_id]);
    assert.deepEqual(subscriptions, { "plan-oauth": two.key_id });
    await call(desk, "POST", `${KEYS}/${two.key_id}/revoke`, { reason });
    assert.deepEqual((await storedDeveloper(desk)).oauth_clients, {});
  },
  { extra: planRecords },
);

testOnEngines(
  "plans: replace those of the key, in its developer's maps too",
  async (desk) => {
    const { key_id } = await issue(desk, ["a", "b"]);
    const key = await call(desk, "PUT", `${KEYS}/${key_id}/plans`, { plans: ["c", "a", "c"] });
    assert.deepEqual(key.plans, ["c", "a"]);
    const { keys, subscriptions } = await storedDeveloper(desk);
    assert.deepEqual(keys, { [key_id]: ["c", "a"] });
    assert.deepEqual(subscriptions, { a: key_id, c: key_id });
    assert.deepEqual(await tracesSinceIssue(desk, key_id), {
      audit: [["key.plans_changed", { plans: ["c", "a"] }]],
      topics: ["key.plans_changed"],
      invalidations: 1,
    });
  },
);

testOnEngines(
  "plans: a key takes those of its type, and such as nobody knows",
  async (desk) => {
    await addPlan(desk, "basic", {}, "basic");
    const basic = await issue(desk, ["basic"]);
    const key = await call(desk, "PUT", `${KEYS}/${basic.key_id}/plans`, {
      plans: ["basic", "unknown"],
    });
    assert.deepEqual(key.plans, ["basic", "unknown"]);
  },
  { extra: planRecords },
);

testOnEngines(
  "plans: an unknown plan is refused where references are strict",
  async (desk) => {
    await addPlan(desk, "known");
    await call(desk, "POST", "/api/portal/requests", {
      for_plan: "known",
      by_user: "dev-ada",
      portal_developer: { id: "dev-ada", email: "ada@example.org" },
    });
    const issued = await call<{ RawKey: string }>(
      desk,
      "POST",
      "/api/portal/developers/dev-ada/keys",
      { apply_policies: ["known"] },
    );
    const key_id = sha256(issued.RawKey);
    await refused(desk, "PUT", `${key_id}/plans`, { plans: ["unknown"] }, "unknown_plan");
    assert.deepEqual((await readKey(desk, key_id)).plans, ["known"]);
  },
  { environment: { KEYDESK_REFERENCES: "strict" }, extra: planRecords },
);

testOnEngines(
  "plans: an OAuth client stands under its new plans alone",
  async (desk) => {
    await addPlan(desk, "one", {}, "oauth");
    await addPlan(desk, "two", {}, "oauth");
    const { key_id, client_id } = await issue(desk, ["one"]);
    await call(desk, "PUT", `${KEYS}/${key_id}/plans`, { plans: ["two"] });
    const { oauth_clients } = await storedDeveloper(desk);
    assert.deepEqual(Object.keys(oauth_clients), ["two"]);
    assert.equal(oauth_clients.two?.[0]?.client_id, client_id);
  },
  { extra: planRecords },
);

const clock = movableClock();

testOnEngines(
  "expiry: a key expires at its time, and lives again with a later one",
  async (desk) => {
    clock.at = Date.parse("2026-03-01T00:00:00Z");
    const { key_id } = await issue(desk);
    const path = `${KEYS}/${key_id}/expiry`;
    const key = await call(desk, "PUT", path, { expires_at: "2026-03-01T02:00:10+01:00" });
    assert.equal(key.expires_at, "2026-03-01T01:00:10.000Z");
    clock.at = Date.parse("2026-03-01T01:00:09.999Z");
    assert.equal((await readKey(desk, key_id)).state, "active");
    clock.at++;
    assert.equal((await readKey(desk, key_id)).state, "expired");
    await refused(desk, "POST", `${key_id}/rotate`, { overlap_seconds: 0 }, "key_expired");
    await assertInvalid(
      await desk.send("PUT", path, { body: { expires_at: "2026-03-01T01:00:10Z" } }),
      "expires_at: expected a time to come; revoke the key to end it now",
    );
    assert.equal((await call(desk, "PUT", path, { expires_at: null })).state, "active");
    assert.equal((await readKey(desk, key_id)).expires_at, null);
    assert.deepEqual((await tracesSinceIssue(desk, key_id)).audit, [
      ["key.expiry_changed", { expires_at: "2026-03-01T01:00:10.000Z" }],
      ["key.expiry_changed", { expires_at: null }],
    ]);
    assert.ok((await tracesSinceIssue(desk, key_id)).invalidations > 0);
  },
  { clock },
);

testOnEngines("permissions: reading needs portal:read, changing needs approve", async (desk) => {
  const { key_id, RawKey, request_id } = await issue(desk);
  const reader = await desk.token(["portal:read"]);
  const approver = await desk.token(["approve"]);
  const status = async (credential: string, method: string, path: string, body?: unknown) =>
    (await desk.send(method, path, { credential, body })).status;
  const reads = [["GET", KEYS], ["GET", `${KEYS}/${key_id}`], [
    "POST",
    `${KEYS}/find`,
    { key: RawKey },
  ]] as const;
  for (const [method, path, body] of reads) {
    assert.equal(await status(reader, method, path, body), 200, path);
    assert.equal(await status(approver, method, path, body), 403, path);
  }
  const writes = [
    ["POST", `${KEYS}/${key_id}/suspend`, { reason }],
    ["POST", `${KEYS}/${key_id}/resume`, { reason }],
    ["PUT", `${KEYS}/${key_id}/plans`, { plans: ["x"] }],
    ["PUT", `${KEYS}/${key_id}/expiry`, {}],
    ["POST", `${KEYS}/${key_id}/rotate`, { overlap_seconds: 60 }],
    ["POST", `/v1/key-requests/${request_id}/reissue`],
  ] as const;
  for (const [method, path, body] of writes) {
    assert.equal(await status(reader, method, path, body), 403, path);
    assert.equal(await status(approver, method, path, body), 200, path);
  }
});

testOnEngines("Idempotency-Key: a repeated change is done once and answers again", async (desk) => {
  const { key_id } = await issue(desk);
  const headers = { "idempotency-key": "0123456789abcdef" };
  for (let i = 0; i < 3; i++) {
    const body = { reason };
    const key = await call(desk, "POST", `${KEYS}/${key_id}/revoke`, body, { headers });
    assert.equal(key.state, "revoked");
  }
  assert.equal((await tracesSinceIssue(desk, key_id)).audit.length, 1);
  const response = await desk.send("POST", `${KEYS}/${key_id}/revoke`, {
    body: { reason: "another" },
    headers,
  });
  await assertFailure(response, "idempotency_key_reused");
});
